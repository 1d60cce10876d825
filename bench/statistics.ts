/** Percentiles and ratios of measured times. */

/** The value below which this share of the sorted samples lies (nearest rank). NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Count and percentiles in the samples' own unit, to two decimals. */
export function summarise(samples: readonly number[]): Summary {
  const at = (share: number) => round(percentile(samples, share));
  return { count: samples.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** To two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
