/** `ops status` and `ops doctor`: show what needs attention, and check everything that the gateway needs. */

import { count, screenTime } from "../../terminal/format.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { type Check, doctorChecks, runCheck, statusChecks } from "../status/checks.ts";
import { type Line, printLine } from "../status/line.ts";
import { type Reading, readingOf } from "../status/reading.ts";
import { headerOf } from "../target/target.ts";
import { remindWhile } from "../terminal/terminal.ts";

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "shows health, creates, platform, pool, queues and rooms on one screen, and what needs attention",
    "Without credentials for the platform, it shows the app's newest metrics row instead of measuring. Ends with 1 if " +
      "something needs attention.",
  )
    .option("--json", "Prints one JSON object instead of the screen.")
    .action(run(showStatus));
}

async function showStatus({ json: isJson }: Flags<"json">, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const target = await connect();
  const reading = readingOf(target);
  if (!isJson) terminal.print(`${headerOf(target)}. Now: ${screenTime(target.clock.now())}\n`);
  const { lines, problems, outcome } = await showChecks(statusChecks, reading, context, isJson);
  const { row, own } = await reading.measured();
  const { orphaned, takenOut } = own ?? {};
  const measured = { row, isMeasured: own !== undefined, orphaned, takenOut };
  if (isJson) return conclude(outcome, JSON.stringify({ target: target.name, ...measured, lines, problems }));
  if (!own) terminal.print(`\nFrom the metrics row of ${row.TimeGenerated}.`);
  const need = `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"}`;
  return conclude(outcome, `\n${problems === 0 ? "Nothing needs" : need} attention.`);
}

export function addDoctor({ command, run }: Operator): void {
  command(
    "doctor",
    "checks settings, roles and everything that the gateway needs, and says what to do",
    "The checks run from this machine, with your rights; where the app's own view is known, it is shown too.",
  )
    .option("--json", "Prints one JSON object instead of the text.")
    .action(run(examine));
}

async function examine({ json: isJson }: Flags<"json">, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const target = await connect();
  if (!isJson) terminal.print(`${headerOf(target)}\n`);
  const { lines, problems, outcome } = await showChecks(doctorChecks, readingOf(target), context, isJson);
  const unknown = lines.filter(({ isOk }) => isOk === undefined).length;
  if (isJson) return conclude(outcome, JSON.stringify({ target: target.name, lines, problems, unknown }));
  const failed = problems === 0 ? "No check failed" : `${count(problems, "check")} of ${lines.length} failed`;
  return conclude(outcome, `\n${failed}${unknown > 0 ? `; ${unknown} cannot be told yet (??)` : ""}.`);
}

/** Runs all checks at once, and returns their lines. Without `isJson`, each is shown as soon as it is known. */
async function showChecks(checks: readonly Check[], reading: Reading, { terminal }: Context, isJson = false) {
  const lines: Line[] = [];
  for (const running of checks.map(async (check) => runCheck(check, reading))) {
    const line = await remindWhile(running, "the gateway's parts", terminal);
    lines.push(line);
    if (!isJson) printLine(line, terminal);
  }
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  return { lines, problems, outcome: problems === 0 ? "ok" : "finding" } as const;
}
