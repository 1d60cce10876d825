/** `ops doctor`: checks everything that a deployment needs. */
import { defineCommand } from "../command.ts";
import { type Check, checks, type Finding } from "../doctor/checks.ts";
import type { Target } from "../target/target.ts";
import { count } from "../terminal/format.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "checks settings, roles and everything that the gateway needs, and says what to do",
  details: [
    "The checks run from this machine, with your rights; where the app's own view is known, it is shown too.",
  ],
  options: {},
  run: async (_, { terminal, connect }) => {
    const target = await connect();
    terminal.print(`${target.name}`);
    terminal.print("");
    terminal.print(`  ok  ${"Settings".padEnd(16)}the gateway accepts them`);
    let problems = 0;
    for (const check of checks) {
      const { isOk, found, advice } = await runCheck(check, target);
      terminal.print(`  ${isOk ? "ok" : "!!"}  ${check.name.padEnd(16)}${found}`);
      if (!isOk) terminal.print(`${" ".repeat(22)}-> ${advice ?? check.advice}`);
      problems += isOk ? 0 : 1;
    }
    terminal.print("");
    terminal.print(
      problems === 0 ? "All checks passed." : `${count(problems, "check")} of ${checks.length + 1} failed.`,
    );
    return problems === 0 ? "ok" : "finding";
  },
});

async function runCheck(check: Check, target: Target): Promise<Finding> {
  try {
    return await check.run(target);
  } catch (error) {
    const [found = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { isOk: false, found };
  }
}
