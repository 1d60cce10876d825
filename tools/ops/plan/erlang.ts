/** The Erlang B formula: how often a pool of rooms is empty if each room that is taken comes back after a lead time. */

/**
 * Returns the share of callers who find the pool empty. `load` is the mean number of callers per lead time. Callers must
 * arrive independently of each other (a Poisson process); how the lead time varies makes no difference, only its mean.
 * The recursion is that of https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_B_formula.
 */
export function emptyShare(poolSize: number, load: number): number {
  let share = 1;
  for (let size = 1; size <= poolSize; size++) share = (load * share) / (size + load * share);
  return share;
}

/** Returns the smallest pool in which at most this share of callers finds no room. */
export function smallestPool(load: number, maxShare: number): number {
  let size = 0;
  while (emptyShare(size, load) > maxShare) size += 1;
  return size;
}

/** Returns the largest load at which at most this share of callers finds the pool empty. */
export function largestLoad(poolSize: number, maxShare: number): number {
  let low = 0;
  let high = poolSize / (1 - maxShare);
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (emptyShare(poolSize, middle) <= maxShare) low = middle;
    else high = middle;
  }
  return low;
}
