/** `ops status` and `ops doctor`: show what needs attention, and check everything that the gateway needs. */
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { doctorChecks, runChecks, statusChecks } from "../status/checks.ts";
import { type Line, printLine } from "../status/line.ts";
import { readingOf } from "../status/reading.ts";
import { headerOf } from "../target/target.ts";
import { count, screenTime } from "../terminal/format.ts";
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

interface Options {
  readonly json?: true;
}

async function showStatus({ json: isJson }: Options, { terminal, connect }: Context): Promise<Outcome> {
  const target = await connect();
  const reading = readingOf(target);
  const all = Promise.all([reading.measured(), ...runChecks(statusChecks, reading)]);
  const [{ row, own }, ...lines] = await remindWhile(all, "the gateway's parts", terminal);
  const problems = lines.filter(({ isOk }) => isOk === false).length;
  const { orphaned, takenOut } = own ?? {};
  const json = {
    target: target.name,
    row,
    isMeasured: own !== undefined,
    orphaned,
    takenOut,
    lines,
    problems,
  };
  if (isJson) terminal.print(JSON.stringify(json));
  else {
    terminal.print(`${headerOf(target)}. Now: ${screenTime(target.clock.now())}`);
    if (!own) terminal.print(`From the metrics row of ${row.TimeGenerated}.`);
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
    .action(run(examine));
}

async function examine({ json: isJson }: Options, { terminal, connect }: Context): Promise<Outcome> {
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
