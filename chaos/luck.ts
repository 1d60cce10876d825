/** Decides which requests a fault strikes, and which fault. */
import type { Strike } from "./faulty-connection.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface Luck {
  /** The share of the reading requests, 0 to 1, that is struck; 0 ends everything. */
  readonly setShare: (share: number) => void;
  readonly draw: (request: Buffer) => Strike | undefined;
}

export const strikes: readonly Strike[] = [
  "reset before",
  "reset after",
  "late arrival",
  "half-open before",
  "half-open after",
  "slow answer",
  "latency",
];
// Writes are what matters; the many looks into queues must not bring everything to a halt.
const writingWeight = 3;
// What is tried twice must fail twice at times: a fault often meets the next two writes as well.
const shareOfSpells = 0.4;

/** Nothing is struck at first. */
export function createLuck(random: SeededRandom): Luck {
  let faultShare = 0;
  let spell: Strike[] = [];
  const strikeWith = (share: number) => (random.chance(share) ? random.pick(strikes) : undefined);

  return {
    setShare: (share) => {
      faultShare = share;
      if (share === 0) spell = [];
    },
    draw: (request) => {
      const isReading = request.subarray(0, 4).toString("latin1") === "GET ";
      if (isReading) return strikeWith(faultShare);
      if (spell.length > 0) return spell.pop();
      const strike = strikeWith(writingWeight * faultShare);
      if (strike !== undefined && random.chance(shareOfSpells)) spell = [strike, strike];
      return strike;
    },
  };
}
