/** Compares the latency of calls with the best recent latency of the same kind of call. */
import type { Clock } from "../ports.ts";

/** The latencies of one instance's calls. */
export interface Latencies {
  /** Adds the latency of a call. Returns whether calls of this kind now take much longer than at their best. */
  isRising(kind: string, milliseconds: number): boolean;
}

interface Kind {
  smoothed: number;
  /** The lowest smoothed latency of this period and of the one before it. */
  best: number;
  bestBefore: number;
  periodEnd: number;
}

const weightOfNewest = 0.25;
const maxRatio = 2;
// Below this, the time is that of the network and of this process, not of waiting at the platform.
const noiseMilliseconds = 150;
const periodSeconds = 60;

/** Creates the comparison. Latencies older than two periods are forgotten. */
export function createLatencies(clock: Pick<Clock, "now">): Latencies {
  const kinds = new Map<string, Kind>();
  return {
    isRising(name, milliseconds) {
      const kind = kinds.get(name) ?? {
        smoothed: milliseconds,
        best: milliseconds,
        bestBefore: milliseconds,
        periodEnd: 0,
      };
      kinds.set(name, kind);
      kind.smoothed += weightOfNewest * (milliseconds - kind.smoothed);
      if (clock.now() >= kind.periodEnd) {
        kind.bestBefore = kind.periodEnd === 0 ? kind.smoothed : kind.best;
        kind.best = kind.smoothed;
        kind.periodEnd = clock.now() + periodSeconds * 1000;
      }
      kind.best = Math.min(kind.best, kind.smoothed);
      return kind.smoothed > Math.max(noiseMilliseconds, maxRatio * Math.min(kind.best, kind.bestBefore));
    },
  };
}
