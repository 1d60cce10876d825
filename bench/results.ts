/** What a benchmark reports, and how reports become bench/results.md and bench/results.json. */
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";

export interface Result {
  /** What was measured. */
  readonly what: string;
  /** The measured figures, units in their names. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** The figure to reach; empty where only a comparison is asked for. */
  readonly target: string;
  readonly isReached?: boolean;
  /** What the figures are made of, what limits them, what is left. */
  readonly remark?: string;
}

/** Writes both files beside this one. */
export async function writeResults(results: readonly Result[], seconds: number): Promise<void> {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}`;
  const json = { machine, seconds: Math.round(seconds), results };
  await writeFile(new URL("./results.json", import.meta.url), `${JSON.stringify(json, null, 2)}\n`);
  await writeFile(new URL("./results.md", import.meta.url), toMarkdown(results, machine, seconds));
}

function toMarkdown(results: readonly Result[], machine: string, seconds: number): string {
  const rows = results.map(({ what, figures, target, isReached }) => {
    const values = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
    const verdict = isReached === undefined ? "" : isReached ? "reached" : "not reached";
    return `| ${what} | ${values.join("<br>")} | ${target} | ${verdict} |`;
  });
  const remarks = results.flatMap(({ what, remark }) => (remark ? [`- **${what}**: ${remark}`] : []));
  return [
    "# Benchmark results",
    "",
    `Written by \`npm run bench\` in ${Math.round(seconds)} s on ${machine}. App (the built bundle in the local host),`,
    "Azurite, simulator and load driver were separate processes that shared the cores. Each figure stands beside its",
    "floor or its alternative from the same run; compare ratios, not milliseconds, between computers.",
    "",
    "| What | Measured | Figure to reach | |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## What the distances are made of",
    "",
    ...remarks,
    "",
  ].join("\n");
}
