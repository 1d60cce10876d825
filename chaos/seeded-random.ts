/** Random choices that a seed repeats; what the processes make of them is decided by their own timing. */

export interface SeededRandom {
  /** From 0 up to but not including 1. */
  next(): number;
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item | undefined;
}

/** Mulberry32: small, fast and even enough for choosing faults. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    chance: (share) => next() < share,
    pick: (items) => items[Math.floor(next() * items.length)],
  };
}
