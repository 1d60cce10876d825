/** How sure a simulated share is. */

export interface ShareEstimate {
  readonly callers: number;
  readonly empty: number;
  readonly share: number;
  /** The 95 % confidence interval of the share. */
  readonly low: number;
  readonly high: number;
}

const z = 1.96;

/**
 * Estimates the share of callers who find the pool empty. These callers come in groups, because the pool stays empty
 * until the next room is ready; so 30 of them prove less than 30 independent ones would. Wilson's interval is therefore
 * computed for fewer callers: their number divided by the dispersion of the count. The dispersion is the variance of the
 * blocks' counts divided by their mean, and at least that of an Erlang loss system with this ratio of load to rooms.
 * https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval#Wilson_score_interval
 */
export function estimateShare(
  callers: number,
  emptyByBlock: readonly number[],
  loadPerRoom: number,
): ShareEstimate {
  const empty = emptyByBlock.reduce((sum, count) => sum + count, 0);
  const mean = empty / emptyByBlock.length;
  const variance =
    emptyByBlock.reduce((sum, count) => sum + (count - mean) ** 2, 0) / Math.max(1, emptyByBlock.length - 1);
  const dispersion = Math.max(groupDispersion(loadPerRoom), mean > 0 ? variance / mean : 1);
  const share = empty / callers;
  const independent = callers / dispersion;
  const denominator = 1 + z ** 2 / independent;
  const middle = share + z ** 2 / (2 * independent);
  const reach = z * Math.sqrt((share * (1 - share)) / independent + z ** 2 / (4 * independent ** 2));
  return {
    callers,
    empty,
    share,
    low: empty === 0 ? 0 : (middle - reach) / denominator,
    high: (middle + reach) / denominator,
  };
}

/** While the pool is empty, callers arrive and rooms return at this ratio: a group is geometric with this parameter. */
function groupDispersion(loadPerRoom: number): number {
  const ratio = Math.min(loadPerRoom, 0.98);
  return (1 + ratio) / (1 - ratio);
}
