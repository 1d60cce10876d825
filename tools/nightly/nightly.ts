/** `npm run nightly`: runs what takes too long for `npm test`, step by step, and fails if a step failed. */
import { spawnSync } from "node:child_process";
import { Option } from "@commander-js/extra-typings";
import { createCommand } from "../terminal/create-command.ts";

interface Step {
  readonly name: string;
  /** What follows `npm`. */
  readonly command: string;
  /** What the command has in addition in the short form, or null if the short form leaves the step out. */
  readonly short: string | null;
  readonly environment?: Readonly<Record<"whole" | "short", Record<string, string>>>;
}

const steps: readonly Step[] = [
  { name: "tests", command: "exec -- vitest run --config tools/nightly/vitest.nightly.config.ts", short: "" },
  {
    name: "overload",
    command: "test -- test/simulation/overload.test.ts -t 'All parts together'",
    short: "",
    environment: { whole: { OVERLOAD_HOURS: "5" }, short: { OVERLOAD_HOURS: "1" } },
  },
  {
    name: "requests",
    command: "test -- test/e2e/openapi-fuzz.test.ts",
    short: "",
    environment: { whole: { FUZZ_REQUESTS: "10000" }, short: { FUZZ_REQUESTS: "1500" } },
  },
  { name: "machine", command: "exec -c 'sh tools/nightly/bare-machine.sh'", short: null },
  {
    name: "tastypie",
    command: "test -- test/contract/platform.test.ts",
    short: "",
    environment: { whole: { TASTYPIE: "1" }, short: { TASTYPIE: "1" } },
  },
  { name: "soak", command: "run soak", short: "-- --short" },
  { name: "explore", command: "run explore", short: "-- --short" },
  { name: "mutate", command: "run mutate", short: null },
];

const { short, only } = createCommand("npm run nightly", "Runs what takes too long for npm test.")
  .option(
    "--short",
    "Runs the short form of each step, about ten minutes, without the mutation and the bare machine.",
  )
  .addOption(new Option("--only <step>", "Runs one step.").choices(steps.map(({ name }) => name)))
  .parse()
  .opts();

const summary: string[] = [];
for (const step of steps) {
  if (only !== undefined && only !== step.name) continue;
  if (short && step.short === null) continue;
  console.log(`\n--- ${step.name} ---`);
  const startedAt = performance.now();
  const env = { ...process.env, ...step.environment?.[short ? "short" : "whole"] };
  const command = short ? `npm ${step.command} ${step.short}` : `npm ${step.command}`;
  const { status } = spawnSync(command, { shell: true, stdio: "inherit", env });
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  summary.push(`${status === 0 ? "passed" : "FAILED"}  ${step.name}, ${minutes} min`);
  if (status !== 0) process.exitCode = 1;
}
console.log(["", ...summary].join("\n"));
