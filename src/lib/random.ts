/** Randomness as a parameter: tests and the simulation replace the operating system's source. */
import { randomBytes, randomInt } from "node:crypto";

/** A source of random values. */
export interface RandomSource {
  /** Returns this many random bytes. */
  bytes(count: number): Uint8Array;
  /** Returns a whole number from 0 to `limit` - 1; all are equally likely. */
  integerBelow(limit: number): number;
}

/** The operating system's cryptographically secure source. */
export const secureRandom: RandomSource = {
  bytes: (count) => randomBytes(count),
  integerBelow: (limit) => randomInt(limit),
};
