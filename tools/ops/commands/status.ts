/** `ops status`: checks everything that the gateway needs, and shows what needs attention. */

import { count, screenTime } from "../../terminal/format.ts";
import { headerOf } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { runCheck, statusChecks } from "../status/checks.ts";
import { type Line, printLine } from "../status/line.ts";
import { type Reading, readingOf } from "../status/reading.ts";

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "checks everything that the gateway needs, and shows on one screen what needs attention",
    "The checks run from this machine, with your rights, and read the app's log. Without credentials for the platform, the " +
      "app's newest metrics row is shown instead of a measurement. Ends with 1 if something needs attention.",
  )
    .option("--json", "Prints one JSON object instead of the screen.")
    .action(run(showStatus));
}

async function showStatus({ json: isJson }: Flags<"json">, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const target = await connect();
  const reading = readingOf(target);
  if (!isJson) terminal.print(`${headerOf(target)}. Now: ${screenTime(target.clock.now())}\n`);
  const { lines, problems, outcome } = await showChecks(reading, context, isJson);
  const { row, own } = await reading.measured();
  const isMeasured = own !== undefined;
  if (isJson)
    return conclude(outcome, JSON.stringify({ target: target.name, row, isMeasured, lines, problems }));
  if (!own) terminal.print(`\nFrom the metrics row of ${row.TimeGenerated}.`);
  const need = `${count(problems, "line")} with !! ${problems === 1 ? "needs" : "need"}`;
  return conclude(outcome, `\n${problems === 0 ? "Nothing needs" : need} attention.`);
}

/** Runs all checks at once, and returns their lines. Without `isJson`, each is shown as soon as it is known. */
async function showChecks(reading: Reading, { terminal }: Context, isJson = false) {
  const lines: Line[] = [];
  for (const running of statusChecks.map(async (check) => runCheck(check, reading))) {
    const line = await running;
    lines.push(line);
    if (!isJson) printLine(line, terminal);
  }
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  return { lines, problems, outcome: problems === 0 ? "ok" : "finding" } as const;
}
