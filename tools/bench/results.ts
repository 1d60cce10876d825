/** Benchmark results: figures beside their floor, and the Markdown table of all. */
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";

export interface Result {
  readonly what: string;
  /** The figure and its unit, for example `53 ms, p99 93 ms`. Only people judge it. */
  readonly measured: string;
  /** The same figure of the floor, from the same run. */
  readonly floor: string;
  /** Measured divided by floor. */
  readonly ratio: number;
  /** The target of the ratio. */
  readonly target: Target;
  /** The meaning of the floor, and the limits of the figure. */
  readonly explanation: string;
}

interface Target {
  readonly text: string;
  readonly isReached: (ratio: number) => boolean;
}

export const atMost = (max: number): Target => ({ text: `≤ ${max}`, isReached: (ratio) => ratio <= max });
export const atLeast = (min: number): Target => ({ text: `≥ ${min}`, isReached: (ratio) => ratio >= min });

/** Compares the medians of two lists of milliseconds. */
export function compareTimes(
  measured: readonly number[],
  floor: readonly number[],
): Pick<Result, "measured" | "floor" | "ratio"> {
  const ratio = percentile(measured, 0.5) / percentile(floor, 0.5);
  return { measured: formatTimes(measured), floor: formatTimes(floor), ratio };
}

/** Formats a number with three significant digits, or without decimals from 100. */
export function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function formatTimes(times: readonly number[]): string {
  return `${format(percentile(times, 0.5))} ms, p99 ${format(percentile(times, 0.99))} ms`;
}

/** Returns the value below which this share of the samples lies (nearest rank). NaN without samples. */
function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

const header = ["Benchmark", "Measured", "Floor", "Ratio", "Target", "Explanation"];

function cellsOf({ what, measured, floor, ratio, target, explanation }: Result): string[] {
  const verdict = `${target.text}: ${target.isReached(ratio) ? "reached" : "**missed**"}`;
  return [what, measured, floor, format(ratio), verdict, explanation];
}

/** Describes a result in one line. */
export function describe(result: Result): string {
  const [what, measured, floor, ratio, target] = cellsOf(result);
  return `${what}: ${measured}; floor ${floor}; ratio ${ratio}; target ${target}`;
}

/** Writes tools/bench/results.md. */
export async function writeResults(results: readonly Result[], seconds: number): Promise<void> {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}`;
  const toRow = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = [
    "# Benchmark results",
    "",
    `Written by \`npm run bench\` in ${Math.round(seconds)} s on ${machine}. The app (the bundle in the local host), Azurite,`,
    "the platform simulator and the load driver ran as separate processes on these cores. Each figure has a floor from",
    "the same run: the bare calls that it consists of. Targets are ratios, because milliseconds depend on the machine.",
    "Times are medians.",
    "",
    toRow(header),
    toRow(["---", "---", "---", "--:", "---", "---"]),
    ...results.map((result) => toRow(cellsOf(result))),
    "",
  ];
  await writeFile(new URL("./results.md", import.meta.url), lines.join("\n"));
}
