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
  return {
    /** A whole number from 0 to `limit` - 1. */
    integerBelow: (limit: number) => Math.floor((nextInteger() / 2 ** 32) * limit),
    bytes: (count: number) => Uint8Array.from({ length: count }, () => nextInteger() & 0xff),
  };
}
