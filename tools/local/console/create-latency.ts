/** Summarises the durations and failures of creates. */
import type { CreateLatency } from "./console-state.ts";

const bounds = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, Number.MAX_SAFE_INTEGER];

/** One create, with when it ended. */
export interface TimedCreate {
  readonly time: number;
  readonly milliseconds: number;
  readonly hasFailed: boolean;
}

/** Returns percentiles of the successful creates and a histogram of all. Without any, all figures are 0. */
export function summarizeLatency(creates: readonly TimedCreate[]): CreateLatency {
  const succeeded = creates.filter(({ hasFailed }) => !hasFailed);
  const sorted = succeeded.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  const percentile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    count: creates.length,
    failed: creates.length - succeeded.length,
    since: creates[0]?.time ?? null,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p99: percentile(0.99),
    buckets: bounds.map((upTo, index) => {
      const from = bounds[index - 1] ?? -1;
      const within = creates.filter(({ milliseconds }) => milliseconds > from && milliseconds <= upTo);
      return { upTo, count: within.length, failed: within.filter(({ hasFailed }) => hasFailed).length };
    }),
  };
}
