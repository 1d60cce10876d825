/** `ops status` and `ops doctor`: show what needs attention, and check everything that the gateway needs. */
import { setTimeout as delay } from "node:timers/promises";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { doctorChecks, runChecks, statusChecks } from "../status/checks.ts";
import { type Line, printLine } from "../status/line.ts";
import { readingOf } from "../status/reading.ts";
import { headerOf, type Target } from "../target/target.ts";
import { count, screenTime } from "../terminal/format.ts";
import { remindWhile } from "../terminal/terminal.ts";

const clearScreen = "\u001b[2J\u001b[H";
const pauseMilliseconds = 2000;

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "shows health, creates, platform, pool, queues and rooms on one screen, and what needs attention",
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
  const reading = readingOf(target);
  const all = Promise.all([reading.measured(), ...runChecks(statusChecks, reading)]);
  const [{ row, isMeasured, orphaned, takenOut }, ...lines] = await remindWhile(
    all,
    "the gateway's parts",
    terminal,
  );
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  const json = { target: target.name, row, isMeasured, orphaned, takenOut, lines, problems };
  if (isJson) terminal.print(JSON.stringify(json));
  else {
    terminal.print(`${headerOf(target)}. Now: ${screenTime(target.clock.now())}`);
    if (!isMeasured) terminal.print(`From the metrics row of ${row.TimeGenerated}.`);
    terminal.print("");
    for (const line of lines) printLine(line, terminal);
    terminal.print("");
    terminal.print(
      problems === 0
        ? "Nothing needs attention."
        : `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"} attention.`,
    );
  }
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
  if (!isJson) terminal.print(`${headerOf(target)}\n`);
  const lines: Line[] = [];
  for (const check of runChecks(doctorChecks, readingOf(target))) {
    const line = await remindWhile(check, "the gateway's parts", terminal);
    lines.push(line);
    if (!isJson) printLine(line, terminal);
  }
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  const unknown = lines.filter(({ isOk }) => isOk === undefined).length;
  if (isJson) terminal.print(JSON.stringify({ target: target.name, lines, problems, unknown }));
  else {
    const failed =
      problems === 0 ? "No check failed" : `${count(problems, "check")} of ${lines.length} failed`;
    terminal.print(`\n${failed}${unknown > 0 ? `; ${unknown} cannot be told yet (??)` : ""}.`);
  }
  return problems === 0 ? "ok" : "finding";
}
