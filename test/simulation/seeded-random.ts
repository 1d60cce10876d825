/** A small generator whose numbers follow from its seed, so that a history can be run again. */
import type { RandomSource } from "../../src/lib/random.ts";

/** Mulberry32: 32 bits of state, good enough to choose delays and names. */
export function createSeededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
    integerBelow: (limit) => Math.floor((next() / 2 ** 32) * limit),
  };
}
