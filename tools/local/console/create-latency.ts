/** Summarises the durations and failures of creates. */
import type { CreateLatency } from "./console-state.ts";

const troubleMinutes = 5;

/** One create, with when it ended. */
export interface TimedCreate {
  readonly time: number;
  readonly milliseconds: number;
  readonly outcome: "handed-out" | "empty" | "failed";
  /** Why it failed, if that is known. */
  readonly cause?: string | undefined;
}

/** Returns percentiles of the successful creates, and how many failed or found the pool empty. */
export function summarizeLatency(creates: readonly TimedCreate[]): CreateLatency {
  const having = (wanted: TimedCreate["outcome"]): readonly TimedCreate[] =>
    creates.filter(({ outcome }) => outcome === wanted);
  const sorted = having("handed-out")
    .map(({ milliseconds }) => milliseconds)
    .toSorted((one, other) => one - other);
  const percentile = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    count: creates.length,
    failed: having("failed").length,
    empty: having("empty").length,
    since: creates[0]?.time ?? null,
    p50: percentile(0.5),
    p90: percentile(0.9),
    p99: percentile(0.99),
  };
}

/** Returns how many creates of the last minutes failed and why the newest did; null if it did not fail. */
export function describeTrouble(creates: readonly TimedCreate[], now: number): string | null {
  const recent = creates.filter(({ time }) => time > now - troubleMinutes * 60_000);
  const newest = recent.at(-1);
  if (newest?.outcome !== "failed") return null;
  const failed = recent.filter(({ outcome }) => outcome === "failed").length;
  return `${failed} of ${recent.length} creates failed in ${troubleMinutes} min; the last: ${newest.cause ?? "the app did not respond"}.`;
}
