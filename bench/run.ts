/** Runs the benchmarks and writes bench/results.md and bench/results.json; `--only create` runs those so named. */
import { parseArgs } from "node:util";
import { measureAuthentication } from "./authentication.ts";
import { measureBackground } from "./background.ts";
import { type BenchStack, startBenchStack } from "./bench-stack.ts";
import { measureBulkCreate } from "./bulk-create.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureAgainstBuilding, measureAlone } from "./create-alone.ts";
import { measureBurst } from "./create-burst.ts";
import { measureSaturation } from "./create-saturation.ts";
import { measureSteadyRate } from "./create-steady.ts";
import { measureLists } from "./lists.ts";
import { measureMemory } from "./memory.ts";
import { type Result, writeResults } from "./results.ts";
import { measureSink } from "./sink.ts";

const onItsOwnStack = (measure: (stack: BenchStack) => Promise<Result[]>) => async (): Promise<Result[]> => {
  const stack = await startBenchStack();
  try {
    return await measure(stack);
  } finally {
    await stack.stop();
  }
};

const benchmarks: Record<string, () => Promise<Result[]>> = {
  "create-alone": onItsOwnStack(measureAlone),
  "create-steady": onItsOwnStack(async (stack) => measureSteadyRate(stack, { pooled: 60, seconds: 60 })),
  "create-steady-deep": onItsOwnStack(async (stack) =>
    measureSteadyRate(stack, { pooled: 500, seconds: 15 }),
  ),
  "create-saturation": onItsOwnStack(async (stack) =>
    measureSaturation(stack, { pooled: 520, creates: 500 }),
  ),
  "create-burst": onItsOwnStack(async (stack) => [
    ...(await measureBurst(stack, 0, 5)),
    ...(await measureBurst(stack, 20, 5)),
    ...(await measureBurst(stack, 20, 20)),
  ]),
  "create-against-building": onItsOwnStack(measureAgainstBuilding),
  sink: onItsOwnStack(async (stack) => measureSink(stack, 20)),
  lists: onItsOwnStack(measureLists),
  background: onItsOwnStack(measureBackground),
  "bulk-create": onItsOwnStack(measureBulkCreate),
  authentication: measureAuthentication,
  "cold-start": measureColdStart,
  memory: onItsOwnStack(async (stack) => measureMemory(stack, 20_000)),
};

const { values } = parseArgs({ options: { only: { type: "string" } } });
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const results: Result[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (values.only !== undefined && !name.includes(values.only)) continue;
  for (const result of await run()) {
    results.push(result);
    const verdict = result.isReached === undefined ? "" : result.isReached ? " reached" : " NOT REACHED";
    console.log(`${result.what}: ${JSON.stringify(result.figures)}${verdict}`);
  }
  // After each, so that a run that is ended early leaves what it has.
  if (values.only === undefined) await writeResults(results, seconds());
}
console.log(`${results.length} results in ${Math.round(seconds())} s`);
