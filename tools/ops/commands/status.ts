/** `ops status`: health, platform, pool, queues and rooms on one screen. */
import { setTimeout as delay } from "node:timers/promises";
import { wholeNumber } from "../../local/terminal/create-command.ts";
import type { Context, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { readStatus } from "../status/read-status.ts";
import { statusLines } from "../status/status-lines.ts";
import type { Target } from "../target/target.ts";
import { count, mark } from "../terminal/format.ts";
import { remindWhile } from "../terminal/reminder.ts";
import { createCommandLog } from "../terminal/terminal.ts";

const clearScreen = "\u001b[2J\u001b[H";
const defaultPauseSeconds = 5;

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "shows health, platform, pool, queues and rooms on one screen, and what needs attention",
    "Without credentials for the platform, it shows the app's newest metrics row instead of measuring. Ends with 1 if " +
      "something needs attention. With --watch, it ends with Ctrl-C and 0.",
  )
    .option("--json", "Prints one JSON object instead of the screen.")
    .option("--watch", "Refreshes the screen until Ctrl-C.")
    .option(
      "--every <seconds>",
      `With --watch: the pause. Default: ${defaultPauseSeconds}.`,
      wholeNumber(1, 3600),
    )
    .action(async (options) => run(options, async (context) => showStatus(options, context)));
}

interface StatusOptions {
  readonly json?: true;
  readonly watch?: true;
  readonly every?: number;
}

async function showStatus({ json, watch, every }: StatusOptions, context: Context): Promise<Outcome> {
  if (every !== undefined && !watch) throw new UsageError("--every needs --watch");
  const { terminal, stopping } = context;
  const target = await context.connect();
  if (!watch) return showOnce(target, json === true, context);
  while (!stopping.aborted) {
    if (terminal.isScreen) terminal.print(clearScreen);
    await showOnce(target, json === true, context);
    const pause = (every ?? defaultPauseSeconds) * 1000;
    await delay(pause, undefined, { signal: stopping }).catch(() => undefined);
  }
  return "ok";
}

async function showOnce(target: Target, isJson: boolean, { terminal }: Context): Promise<Outcome> {
  const remarks: string[] = [];
  const log = createCommandLog({ remark: (line) => void remarks.push(line) });
  const known = await remindWhile(readStatus(target, log), "the gateway's parts", terminal);
  const lines = statusLines(known, Date.now());
  const problems = lines.filter(({ problem }) => problem !== undefined);
  if (isJson) terminal.print(JSON.stringify({ target: target.name, ...known, lines, problems }));
  else {
    const time = `${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC`;
    terminal.print(`${target.name}, ${time}`);
    if (!known.isMeasured) terminal.print(`From the metrics row of ${known.row.TimeGenerated}.`);
    printLines(lines, terminal);
  }
  for (const remark of remarks) terminal.remark(remark);
  return problems.length === 0 ? "ok" : "finding";
}

function printLines(lines: ReturnType<typeof statusLines>, { print, isScreen }: Context["terminal"]): void {
  print("");
  for (const { label, value, problem, hint, isUnknown } of lines) {
    const state = problem !== undefined ? "!!" : isUnknown ? "??" : "ok";
    print(`  ${mark(state, isScreen)}  ${label.padEnd(16)}${value}`);
    if (problem !== undefined) print(`${" ".repeat(22)}-> ${problem}`);
    if (hint !== undefined) print(`${" ".repeat(22)}${hint}`);
  }
  const problems = lines.filter(({ problem }) => problem !== undefined).length;
  print("");
  print(
    problems === 0
      ? "Nothing needs attention."
      : `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"} attention.`,
  );
}
