/** Percentiles of measured times, and numbers for people. */

/** Returns the value below which this share of the samples lies (nearest rank). NaN without samples. */
function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** Returns the median and the 99th percentile. */
export function summarise(samples: readonly number[]): { readonly p50: number; readonly p99: number } {
  return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
}

/** Formats a number with three significant digits, or without decimals from 100. */
export function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** Formats median and 99th percentile, for example `53 ms, p99 93 ms`. */
export function formatTimes({ p50, p99 }: { readonly p50: number; readonly p99: number }): string {
  return `${format(p50)} ms, p99 ${format(p99)} ms`;
}
