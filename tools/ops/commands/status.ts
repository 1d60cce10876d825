/** `ops status`: checks everything that the gateway needs, and shows what needs attention. */

import { screenTime } from "../../terminal/format.ts";
import { headerOf } from "../gateway/target.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { runCheck, statusChecks } from "../status/checks.ts";
import { printLine } from "../status/line.ts";
import { readingOf } from "../status/reading.ts";

export function addStatus({ command, run }: Operator): void {
  command(
    "status",
    "checks everything that the gateway needs, and shows on one screen what needs attention",
    "The checks run from this machine, with your rights, and read the app's log. Without credentials for the platform, the " +
      "app's newest metrics row is shown instead of a measurement. Ends with 1 if something needs attention.",
  ).action(run(showStatus));
}

async function showStatus(_options: object, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const target = await connect();
  const reading = readingOf(target);
  terminal.print(`${headerOf(target)}. Now: ${screenTime(target.clock.now())}\n`);
  let problems = 0;
  // All run at once, and each is shown as soon as it and those above it are known.
  for (const running of statusChecks.map(async (check) => runCheck(check, reading))) {
    const line = await running;
    printLine(line, terminal);
    if (line.isOk === false) problems += 1;
  }
  const metrics = await reading.metrics().catch(() => undefined);
  if (metrics && !metrics.own) terminal.print(`\nFrom the metrics row of ${metrics.row.TimeGenerated}.`);
  for (const warning of target.log.warnings) terminal.print(`\nThe log workspace warns: ${warning}`);
  if (problems === 0) return conclude("ok", "\nNothing needs attention.");
  const need = problems === 1 ? "line with !! needs" : "lines with !! need";
  return conclude("finding", `\n${problems} ${need} attention.`);
}
