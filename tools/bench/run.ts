/** `npm run bench`: measures creates and the event sink, and writes tools/bench/results.md. */
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { Option } from "@commander-js/extra-typings";
import { identities } from "../simulators/identities.ts";
import { endOnSignal } from "../simulators/process/stop-signal.ts";
import { createCommand } from "../terminal/create-command.ts";
import {
  type BenchStack,
  fillPool,
  prepare,
  runConcurrently,
  runOpenLoop,
  send,
  startBenchStack,
} from "./load.ts";

interface Result {
  readonly what: string;
  /** The figure and its unit, for example `53 ms, p99 93 ms`. Only people judge it. */
  readonly measured: string;
  /** The same figure of the floor, from the same run. */
  readonly floor: string;
  /** Measured divided by floor. */
  readonly ratio: number;
  /** The bound of the ratio. */
  readonly target: { readonly min: number } | { readonly max: number };
  /** The meaning of the floor, and the limits of the figure. */
  readonly explanation: string;
}

interface Benchmark {
  readonly measure: (stack: BenchStack) => Promise<Result>;
  /** Settings of the gateway. */
  readonly settings?: Record<string, string>;
}

/** First the creates, while their replacements are provisioned, then the direct calls at the same rate. */
async function measureSteadyRate(stack: BenchStack): Promise<Result> {
  const load = { ratePerSecond: 20, seconds: 30 };
  const latencyMilliseconds = 20;
  await prepare(stack, { warmUp: 200, pooled: 100 }, latencyMilliseconds);
  const { bare, create } = stack;
  const { times, failures } = await runOpenLoop({ ...load, task: create });
  const floor = await runOpenLoop({ ...load, task: async () => bare.put("pool", await bare.claim()) });
  return {
    what: `Create at ${load.ratePerSecond}/s for ${load.seconds} s, platform latency ${latencyMilliseconds} ms`,
    ...compareTimes(times, failures, floor.times),
    target: { max: 1.1 },
    explanation:
      "The floor is the claim's calls and a put, at the same rate. The gateway also provisions rooms.",
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
  const firstHalf = endedAtSeconds.filter((second) => second <= seconds / 2).length;
  const secondHalf = endedAtSeconds.filter((second) => second > seconds / 2 && second <= seconds).length;
  const perSecond = (count: number) => count / (seconds / 2);
  return {
    what: `Creates at twice the capacity for ${seconds} s, platform latency ${latencyMilliseconds} ms, 3 slots`,
    measured:
      `${format(perSecond(firstHalf))}/s, then ${format(perSecond(secondHalf))}/s handed out, ` +
      `${failures} of ${times.length + failures} refused`,
    floor: `${format(capacity)}/s`,
    ratio: perSecond(Math.min(firstHalf, secondHalf)) / capacity,
    target: { min: 0.85 },
    explanation:
      "The worse half counts. The floor column holds the capacity: 32 callers, each of whom waits for the response.",
  };
}

/** First conference_ended events, each for another room, then bare puts at the same rate. */
async function measureEventSink({ gatewayUrl, bare }: BenchStack): Promise<Result> {
  const load = { ratePerSecond: 100, seconds: 15 };
  const credentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}`, "content-type": "application/json" };
  let sequence = 0;
  const post = async () => {
    sequence += 1;
    const data = { name: `ended-${sequence}`, service_type: "conference" };
    const event = { node: "10.0.0.21", seq: sequence, version: 2, event: "conference_ended", data };
    await send(204, "POST", `${gatewayUrl}/public/event_sink`, headers, JSON.stringify(event));
  };
  const put = async () => bare.put("deletion", `bare-${(sequence += 1)}`);
  await runOpenLoop({ ...load, seconds: 3, task: post });
  const { times, failures } = await runOpenLoop({ ...load, task: post });
  const floor = await runOpenLoop({ ...load, task: put });
  return {
    what: `Event sink at ${load.ratePerSecond}/s for ${load.seconds} s`,
    ...compareTimes(times, failures, floor.times),
    target: { max: 5 },
    explanation:
      "The floor is a bare put of the same name. The rest is mostly the host with its two processes.",
  };
}

/** Compares the medians of two lists of milliseconds. */
function compareTimes(measured: readonly number[], failures: number, floor: readonly number[]) {
  const show = (times: readonly number[]) =>
    `${format(percentile(times, 0.5))} ms, p99 ${format(percentile(times, 0.99))} ms`;
  return {
    measured: `${show(measured)}, ${failures} failed`,
    floor: show(floor),
    ratio: percentile(measured, 0.5) / percentile(floor, 0.5),
  };
}

/** Formats a number with three significant digits, or without decimals from 100. */
function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** Returns the value below which this share of the samples lies (nearest rank). NaN without samples. */
function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

function cellsOf({ what, measured, floor, ratio, target, explanation }: Result): string[] {
  const isReached = "max" in target ? ratio <= target.max : ratio >= target.min;
  const bound = "max" in target ? `≤ ${target.max}` : `≥ ${target.min}`;
  const verdict = `${bound}: ${isReached ? "reached" : "**missed**"}`;
  return [what, measured, floor, format(ratio), verdict, explanation];
}

async function writeResults(results: readonly Result[], seconds: number): Promise<void> {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}`;
  const toRow = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = [
    "# Benchmark results",
    "",
    `Written by \`npm run bench\` in ${Math.round(seconds)} s on ${machine}. The app (the bundle in the local host), the`,
    "simulators (with Azurite) and the load driver ran as separate processes on these cores. Each figure has a floor from",
    "the same run: the bare calls that it consists of. Targets are ratios, because milliseconds depend on the machine.",
    "Times are medians.",
    "",
    toRow(["Benchmark", "Measured", "Floor", "Ratio", "Target", "Explanation"]),
    toRow(["---", "---", "---", "--:", "---", "---"]),
    ...results.map((result) => toRow(cellsOf(result))),
    "",
  ];
  await writeFile(new URL("./results.md", import.meta.url), lines.join("\n"));
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  "create-steady": { measure: measureSteadyRate },
  "create-overload": {
    measure: measureOverload,
    // The pool is filled beforehand, so nothing else takes the processor while the capacity is measured.
    settings: { "AzureWebJobs.provisionRoom.Disabled": "true", PLATFORM_MAX_CONCURRENCY: "3" },
  },
  "event-sink": { measure: measureEventSink },
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
// `--help` has ended by now, because it needs no bundle.
await import("../../scripts/build.ts");
const startedAt = performance.now();
const results: Result[] = [];
for (const [index, [name, { measure, settings = {} }]] of chosen.entries()) {
  console.log(`${index + 1} of ${chosen.length}: ${name} ...`);
  // Each benchmark runs against new processes, which end with this one if it fails.
  const stack = await startBenchStack(settings);
  const result = await measure(stack);
  await stack.stop();
  const [what, measured, floor, ratio, target] = cellsOf(result);
  console.log(`${what}: ${measured}; floor ${floor}; ratio ${ratio}; target ${target}`);
  results.push(result);
}
if (only === undefined) await writeResults(results, (performance.now() - startedAt) / 1000);
