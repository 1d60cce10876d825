/** The results of the benchmarks, and how they become tools/bench/results.md. */
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { format } from "./statistics.ts";

export interface Result {
  readonly what: string;
  /** The figure and its unit, for example `53 ms, p99 93 ms`. */
  readonly measured: string;
  /** The same figure of the floor, from the same run. */
  readonly floor: string;
  /** Measured divided by floor. */
  readonly ratio: number;
  /** Absent if the figure is only reported. */
  readonly target?: { readonly text: string; readonly isReached: boolean };
  /** One sentence: what the floor is, and what limits the figure. */
  readonly explanation: string;
}

const header = ["Benchmark", "Measured", "Floor", "Ratio", "Target", "Explanation"];

function cellsOf({ what, measured, floor, ratio, target, explanation }: Result): string[] {
  const verdict = target ? `${target.text}: ${target.isReached ? "reached" : "**missed**"}` : "none";
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
    "the same run: the bare calls that it consists of. To compare machines, compare ratios. Times are medians.",
    "",
    toRow(header),
    toRow(["---", "---", "---", "--:", "---", "---"]),
    ...results.map((result) => toRow(cellsOf(result))),
    "",
  ];
  await writeFile(new URL("./results.md", import.meta.url), lines.join("\n"));
}
