/** Randomness as a parameter; the real source is the operating system's. */
import { randomBytes, randomInt } from "node:crypto";

export interface RandomSource {
  bytes(count: number): Uint8Array;
  /** A whole number from 0 to `limit` - 1, all equally likely. */
  integerBelow(limit: number): number;
}

export const secureRandom: RandomSource = {
  bytes: (count) => randomBytes(count),
  integerBelow: (limit) => randomInt(limit),
};
