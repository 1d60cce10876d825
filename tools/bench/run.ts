/** `npm run bench`: measures creates, and prints rows for tools/bench/results.md. */
import { Option } from "@commander-js/extra-typings";
import { createCommand } from "../terminal/create-command.ts";
import { endOnSignal } from "../terminal/stop-signal.ts";
import { type BenchStack, fillPool, prepare, runConcurrently, runOpenLoop, startBenchStack } from "./load.ts";

/** A figure beside the same figure of the floor, from the same run. */
interface Result {
  readonly what: string;
  readonly measured: string;
  readonly floor: string;
  /** Measured divided by floor. */
  readonly ratio: number;
}

interface Benchmark {
  readonly measure: (stack: BenchStack) => Promise<Result>;
  readonly target: { readonly min: number } | { readonly max: number };
  /** Settings of the gateway. */
  readonly settings?: Record<string, string>;
}

/** First the creates, while their replacements are provisioned, then the direct calls at the same rate. */
async function measureSteadyRate(stack: BenchStack): Promise<Result> {
  const load = { ratePerSecond: 20, seconds: 30 };
  const latencyMilliseconds = 20;
  await prepare(stack, { warmUp: 200, pooled: 100 }, latencyMilliseconds);
  const { claimAndPut, create } = stack;
  const { times, failures } = await runOpenLoop({ ...load, task: create });
  const floor = await runOpenLoop({ ...load, task: claimAndPut });
  return {
    what: `Create at ${load.ratePerSecond}/s for ${load.seconds} s, platform latency ${latencyMilliseconds} ms`,
    measured: `${show(times)}, ${failures} failed`,
    floor: show(floor.times),
    ratio: percentile(times, 0.5) / percentile(floor.times, 0.5),
  };
}

/**
 * First the capacity, with callers who wait for responses, then creates at twice that rate, whether or not
 * earlier ones have ended.
 */
async function measureOverload(stack: BenchStack): Promise<Result> {
  const creates = 300;
  const seconds = 120;
  // The platform limits this run, not the processor that all parts share here.
  const latencyMilliseconds = 200;
  await prepare(stack, { warmUp: 400, pooled: creates }, latencyMilliseconds);
  const startedAt = performance.now();
  await runConcurrently(creates, 32, stack.create);
  const capacity = (creates * 1000) / (performance.now() - startedAt);
  await fillPool(stack, Math.ceil(2 * capacity * seconds));
  const load = { ratePerSecond: 2 * capacity, seconds, task: stack.create };
  const { times, failures, endedAtSeconds } = await runOpenLoop(load);
  const half = seconds / 2;
  const [first, second] = [0, half].map(
    (from) => endedAtSeconds.filter((at) => at > from && at <= from + half).length / half,
  ) as [number, number];
  return {
    what: `Creates at twice the capacity for ${seconds} s, platform latency ${latencyMilliseconds} ms, 3 slots`,
    measured: `${format(first)}/s, then ${format(second)}/s, ${failures} of ${times.length + failures} refused`,
    floor: `${format(capacity)}/s`,
    ratio: Math.min(first, second) / capacity,
  };
}

const show = (times: readonly number[]) =>
  `${format(percentile(times, 0.5))} ms, p99 ${format(percentile(times, 0.99))} ms`;

/** Formats a number with three significant digits. */
const format = (value: number) => String(Number(value.toPrecision(3)));

/** Returns the value below which this share of the samples lies (nearest rank). NaN without samples. */
const percentile = (samples: readonly number[], share: number): number =>
  samples.toSorted((one, other) => one - other)[Math.ceil(share * samples.length) - 1] ?? Number.NaN;

const benchmarks: Readonly<Record<string, Benchmark>> = {
  "create-steady": { measure: measureSteadyRate, target: { max: 1.1 } },
  "create-overload": {
    measure: measureOverload,
    target: { min: 0.85 },
    // The pool is filled beforehand, so nothing else takes the processor while the capacity is measured.
    settings: { "AzureWebJobs.provisionRoom.Disabled": "true", PLATFORM_MAX_CONCURRENCY: "3" },
  },
};

const { only } = createCommand("npm run bench", "Runs the benchmarks and prints their results.")
  .addOption(new Option("--only <name>", "Runs one benchmark.").choices(Object.keys(benchmarks)))
  .parse()
  .opts();
endOnSignal("The other benchmarks did not run.");
// `--help` has ended by now, because it needs no bundle.
await import("../../scripts/build.ts");
for (const [name, { measure, target, settings = {} }] of Object.entries(benchmarks)) {
  if (only !== undefined && only !== name) continue;
  console.log(`${name} ...`);
  // Each benchmark runs against a new gateway, whose processes end with this one if it fails.
  const stack = await startBenchStack(settings);
  const { what, measured, floor, ratio } = await measure(stack);
  await stack.stop();
  const isReached = "max" in target ? ratio <= target.max : ratio >= target.min;
  const bound = "max" in target ? `≤ ${target.max}` : `≥ ${target.min}`;
  const verdict = isReached ? "reached" : "**missed**";
  console.log(`| ${what} | ${measured} | ${floor} | ${format(ratio)} | ${bound}: ${verdict} |`);
}
