/** Summarizes how long creates took. */
import type { CreateLatency } from "./console-state.ts";

const bounds = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, Number.MAX_SAFE_INTEGER];

/** Returns percentiles and a histogram of the durations, in milliseconds. Without any, all figures are 0. */
export function summarizeLatency(durations: readonly number[]): CreateLatency {
  const sorted = durations.toSorted((one, other) => one - other);
  const percentile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    count: sorted.length,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p99: percentile(0.99),
    buckets: bounds.map((upTo, index) => {
      const from = bounds[index - 1] ?? -1;
      return { upTo, count: sorted.filter((duration) => duration > from && duration <= upTo).length };
    }),
  };
}
