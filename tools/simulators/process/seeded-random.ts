/** Random choices that follow from a seed, so a run can be repeated. */

/** Creates a Mulberry32 generator: 32 bits of state, even enough for choosing faults, delays and names. */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;
  const nextInteger = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  /** From 0 up to but not including 1. */
  const next = (): number => nextInteger() / 2 ** 32;
  /** A whole number from 0 to `limit` - 1. */
  const integerBelow = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    integerBelow,
    bytes: (count: number) => Uint8Array.from({ length: count }, () => nextInteger() & 0xff),
  };
}
