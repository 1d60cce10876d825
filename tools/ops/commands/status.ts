/** `ops status`: pool, queues, platform and rooms on one screen. */
import { setTimeout as delay } from "node:timers/promises";
import { type Context, defineCommand } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { flag, number, withDefault } from "../options.ts";
import { readStatus } from "../status/gateway-status.ts";
import { type StatusLine, statusLines, unknown } from "../status/status-lines.ts";
import type { Target } from "../target/target.ts";
import { createCommandLog } from "../terminal/command-log.ts";
import { count } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";

const clearScreen = "\u001b[2J\u001b[H";

export const status = defineCommand({
  name: "status",
  summary: "shows pool, queues, platform and rooms on one screen, and what needs attention",
  details: [
    "Without a login for the platform, it shows the app's newest metrics row instead of measuring.",
    "Ends with 1 if something needs attention. With --watch, it ends with Ctrl-C and 0.",
  ],
  options: {
    json: flag("prints one JSON object instead of the screen"),
    watch: flag("shows the screen again and again"),
    every: withDefault(number("SECONDS", "with --watch: the pause", [1, 3600]), 5),
  },
  run: async ({ options }, context) => {
    const target = await context.connect();
    if (!options.watch) return show(target, options.json, context);
    while (!context.stopping.aborted) {
      if (context.terminal.isScreen) context.terminal.print(clearScreen);
      await show(target, options.json, context);
      await delay(options.every * 1000, undefined, { signal: context.stopping }).catch(() => undefined);
    }
    return "ok";
  },
});

async function show(target: Target, isJson: boolean, { terminal }: Context): Promise<ExitCode> {
  const log = createCommandLog(terminal);
  const known = await readStatus(target, log);
  const lines = statusLines(known, Date.now());
  const problems = lines.filter(({ problem }) => problem !== undefined);
  if (isJson) terminal.print(JSON.stringify({ target: target.name, ...known, problems }));
  else {
    const time = `${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC`;
    terminal.print(`${target.name}, ${time}`);
    if (!known.isMeasured) terminal.print(`From the metrics row of ${known.row.TimeGenerated}.`);
    printLines(lines, terminal);
  }
  return problems.length === 0 ? "ok" : "finding";
}

function printLines(lines: readonly StatusLine[], { print }: Terminal): void {
  print("");
  for (const { label, value, problem, hint } of lines) {
    const mark = problem !== undefined ? "!!" : value === unknown ? "??" : "ok";
    print(`  ${mark}  ${label.padEnd(13)}${value}`);
    if (problem !== undefined) print(`${" ".repeat(19)}-> ${problem}`);
    if (hint !== undefined) print(`${" ".repeat(19)}${hint}`);
  }
  const problems = lines.filter(({ problem }) => problem !== undefined).length;
  print("");
  print(
    problems === 0
      ? "Nothing needs attention."
      : `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"} attention.`,
  );
}
