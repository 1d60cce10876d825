/** `ops status` and `ops doctor`: show what needs attention, and check everything that the gateway needs. */
import { setTimeout as delay } from "node:timers/promises";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { checks, runCheck } from "../status/checks.ts";
import { readStatus } from "../status/read-status.ts";
import { type Line, printLines, statusLines } from "../status/status-lines.ts";
import type { Target } from "../target/target.ts";
import { count } from "../terminal/format.ts";
import { createCommandLog, remindWhile } from "../terminal/terminal.ts";

const clearScreen = "\u001b[2J\u001b[H";
const pauseMilliseconds = 2000;

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "shows health, platform, pool, queues and rooms on one screen, and what needs attention",
    "Without credentials for the platform, it shows the app's newest metrics row instead of measuring. Ends with 1 if " +
      "something needs attention. With --watch, it ends with Ctrl-C and 0.",
  )
    .option("--json", "Prints one JSON object instead of the screen.")
    .option("--watch", "Shows the screen again every two seconds.")
    .action(async ({ json, watch, ...options }) =>
      run(options, async (context) => {
        const target = await context.connect();
        if (!watch) return showStatus(target, json === true, context);
        const { terminal, stopping } = context;
        while (!stopping.aborted) {
          if (terminal.isScreen) terminal.print(clearScreen);
          await showStatus(target, json === true, context);
          await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
        }
        return "ok";
      }),
    );
}

async function showStatus(target: Target, isJson: boolean, { terminal }: Context): Promise<Outcome> {
  const remarks: string[] = [];
  const log = createCommandLog({ remark: (line) => void remarks.push(line) });
  const status = await remindWhile(readStatus(target, log), "the gateway's parts", terminal);
  const { row, isMeasured, orphaned, takenOut } = status;
  const lines = statusLines(status);
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  if (isJson)
    terminal.print(
      JSON.stringify({ target: target.name, row, isMeasured, orphaned, takenOut, lines, problems }),
    );
  else {
    terminal.print(`${target.name}, ${new Date().toISOString().slice(0, 19).replace("T", " ")} UTC`);
    if (!isMeasured) terminal.print(`From the metrics row of ${row.TimeGenerated}.`);
    terminal.print("");
    printLines(lines, terminal);
    terminal.print("");
    terminal.print(
      problems === 0
        ? "Nothing needs attention."
        : `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"} attention.`,
    );
  }
  for (const remark of remarks) terminal.remark(remark);
  return problems === 0 ? "ok" : "finding";
}

export function addDoctor({ command, run }: Operator): void {
  command(
    "doctor",
    "checks settings, roles and everything that the gateway needs, and says what to do",
    "The checks run from this machine, with your rights; where the app's own view is known, it is shown too.",
  )
    .option("--json", "Prints one JSON object instead of the text.")
    .action(async ({ json, ...options }) => run(options, async (context) => examine(json === true, context)));
}

async function examine(isJson: boolean, { terminal, connect }: Context): Promise<Outcome> {
  const target = await connect();
  const lines: Line[] = [];
  const add = (line: Line): void => {
    lines.push(line);
    if (!isJson) printLines([line], terminal);
  };
  if (!isJson) terminal.print(`${target.name}\n`);
  add({ name: "Settings", isOk: true, found: "the gateway accepts them" });
  for (const check of checks) {
    const line = await remindWhile(runCheck(check, target), check.name, terminal);
    // Here, a check that cannot tell has not passed.
    add({ ...line, isOk: line.isOk === true });
  }
  const problems = lines.filter(({ isOk }) => !isOk).length;
  if (isJson) terminal.print(JSON.stringify({ target: target.name, lines, problems }));
  else
    terminal.print(
      problems === 0 ? "\nAll checks passed." : `\n${count(problems, "check")} of ${lines.length} failed.`,
    );
  return problems === 0 ? "ok" : "finding";
}
