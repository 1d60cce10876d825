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
// What is tried twice must fail twice at times: a fault often meets the repetition as well.
const shareOfRepetitions = 0.6;

/** Nothing is struck at first. */
export function createLuck(random: SeededRandom): Luck {
  const struck = new Map<string, Strike>();
  let faultShare = 0;
  const strikeWith = (share: number) => (random.chance(share) ? random.pick(strikes) : undefined);

  return {
    setShare: (share) => {
      faultShare = share;
      if (share === 0) struck.clear();
    },
    draw: (request) => {
      const line = request.subarray(0, request.indexOf("\r\n")).toString("latin1");
      if (line.startsWith("GET ")) return strikeWith(faultShare);
      const again = struck.get(line);
      if (again !== undefined && random.chance(shareOfRepetitions)) return again;
      const strike = strikeWith(writingWeight * faultShare);
      // New messages and rooms all have the same line.
      if (strike !== undefined && !line.startsWith("POST ")) struck.set(line, strike);
      return strike;
    },
  };
}
