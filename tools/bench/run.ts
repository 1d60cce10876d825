/** `npm run bench`: runs all benchmarks and writes tools/bench/results.md. */
import { Option } from "@commander-js/extra-typings";
import { endOnSignal } from "../local/process/stop-signal.ts";
import { createCommand } from "../local/terminal/create-command.ts";
import { type BenchStack, startBenchStack } from "./bench-stack.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureAlone, measureBurst, measureOverload, measureSteadyRate } from "./creates.ts";
import { measureEventSink, measureList } from "./event-sink-and-list.ts";
import { describe, type Result, writeResults } from "./results.ts";

type Benchmark = () => Promise<Result>;

/** Each benchmark runs against new processes. */
const withStack =
  (measure: (stack: BenchStack) => Promise<Result>, settings: Record<string, string> = {}): Benchmark =>
  async () => {
    const stack = await startBenchStack(settings);
    try {
      return await measure(stack);
    } finally {
      await stack.stop();
    }
  };

const manySlots = { PLATFORM_MAX_CONCURRENCY: "20" };
// The pool is filled beforehand, so nothing else takes the processor while the capacity is measured.
const withoutProvisioning = { "AzureWebJobs.provisionRoom.Disabled": "true" };

const benchmarks: Readonly<Record<string, Benchmark>> = {
  "create-alone": withStack(measureAlone),
  "create-steady": withStack(measureSteadyRate),
  "create-burst": withStack(measureBurst, manySlots),
  "create-overload": withStack(measureOverload, { ...withoutProvisioning, PLATFORM_MAX_CONCURRENCY: "3" }),
  "event-sink": withStack(measureEventSink),
  list: withStack(measureList),
  "cold-start": measureColdStart,
};

const { only } = createCommand("npm run bench", "Runs all benchmarks and writes tools/bench/results.md.")
  .addOption(
    new Option("--only <name>", "Runs one benchmark, and writes nothing.").choices(Object.keys(benchmarks)),
  )
  .parse()
  .opts();
const chosen = Object.entries(benchmarks).filter(([name]) => only === undefined || name === only);
endOnSignal("No results were written.");
console.log("Building the bundle ...");
// Not earlier: `--help` needs no bundle.
await import("../scripts/build.ts");
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const results: Result[] = [];
for (const [index, [name, run]] of chosen.entries()) {
  console.log(`${index + 1} of ${chosen.length}: ${name} ...`);
  const result = await run();
  console.log(describe(result));
  results.push(result);
}
if (only === undefined) await writeResults(results, seconds());
