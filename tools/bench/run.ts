/** `npm run bench`: runs all benchmarks and writes tools/bench/results.md. */
import { Option } from "@commander-js/extra-typings";
import { createCommand } from "../local/terminal/create-command.ts";
import { type BenchStack, startBenchStack } from "./bench-stack.ts";
import { measureBulkCreate } from "./bulk-create.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureAlone } from "./create-alone.ts";
import { measureBurst } from "./create-burst.ts";
import { measureSaturation } from "./create-saturation.ts";
import { measureSteadyRate } from "./create-steady.ts";
import { measureEventSink } from "./event-sink.ts";
import { measureList } from "./list.ts";
import { measureMemory } from "./memory.ts";
import { measureProcessorTime } from "./processor-time.ts";
import { describe, type Result, writeResults } from "./results.ts";

/** Each benchmark runs against new processes. */
const withStack =
  (measure: (stack: BenchStack) => Promise<Result | Result[]>, settings: Record<string, string> = {}) =>
  async (): Promise<Result | Result[]> => {
    const stack = await startBenchStack(settings);
    try {
      return await measure(stack);
    } finally {
      await stack.stop();
    }
  };

const manySlots = { PLATFORM_MAX_CONCURRENCY: "20" };
const benchmarks: Readonly<Record<string, () => Promise<Result | Result[]>>> = {
  "create-alone": withStack(measureAlone),
  "processor-time": measureProcessorTime,
  "create-steady": withStack(measureSteadyRate),
  "create-saturation": withStack(measureSaturation, manySlots),
  "create-burst": withStack(measureBurst, manySlots),
  "event-sink": withStack(measureEventSink),
  list: withStack(measureList),
  "bulk-create": withStack(measureBulkCreate),
  "cold-start": measureColdStart,
  // The maximum keeps replacements from enlarging the pool.
  memory: withStack(measureMemory, { MAX_VMR: "100" }),
};

const { only } = createCommand("npm run bench", "Runs all benchmarks and writes tools/bench/results.md.")
  .addOption(
    new Option("--only <name>", "Runs one benchmark, and writes nothing.").choices(Object.keys(benchmarks)),
  )
  .parse()
  .opts();
const chosen = Object.entries(benchmarks).filter(([name]) => only === undefined || name === only);
console.log("Building the bundle ...");
// Not earlier: `--help` needs no bundle.
await import("../scripts/build.ts");
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const results: Result[] = [];
for (const [index, [name, run]] of chosen.entries()) {
  console.log(`${index + 1} of ${chosen.length}: ${name} ...`);
  const found = [await run()].flat();
  for (const result of found) console.log(describe(result));
  results.push(...found);
  // After each one, so a run that is stopped early leaves what it has measured.
  if (only === undefined) await writeResults(results, seconds());
}
console.log(`${results.length} results in ${Math.round(seconds())} s`);
