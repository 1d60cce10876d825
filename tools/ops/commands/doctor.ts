/** `ops doctor`: checks everything that a deployment needs. */
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { checks, runCheck } from "../status/checks.ts";
import { count, mark } from "../terminal/format.ts";
import { remindWhile } from "../terminal/reminder.ts";

export function addDoctor({ command, run }: Operator): void {
  command(
    "doctor",
    "checks settings, roles and everything that the gateway needs, and says what to do",
    "The checks run from this machine, with your rights; where the app's own view is known, it is shown too.",
  )
    .option("--json", "Prints one JSON object instead of the text.")
    .action(async (options) => run(options, async (context) => examine(options.json === true, context)));
}

async function examine(isJson: boolean, { terminal, connect }: Context): Promise<Outcome> {
  const target = await connect();
  const print = (line: string): void => {
    if (!isJson) terminal.print(line);
  };
  print(target.name);
  print("");
  print(`  ${mark("ok", terminal.isScreen)}  ${"Settings".padEnd(16)}the gateway accepts them`);
  const results = [];
  for (const check of checks) {
    const result = await remindWhile(runCheck(check, target), check.name, terminal);
    const isOk = result.isOk === true;
    results.push({ ...result, isOk });
    print(`  ${mark(isOk ? "ok" : "!!", terminal.isScreen)}  ${result.name.padEnd(16)}${result.found}`);
    if (!isOk) print(`${" ".repeat(22)}-> ${result.advice}`);
  }
  const problems = results.filter(({ isOk }) => !isOk).length;
  if (isJson) terminal.print(JSON.stringify({ target: target.name, checks: results, problems }));
  print("");
  print(
    problems === 0 ? "All checks passed." : `${count(problems, "check")} of ${checks.length + 1} failed.`,
  );
  return problems === 0 ? "ok" : "finding";
}
