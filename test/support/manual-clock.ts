/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/lib/clock.ts";

export interface ManualClock extends Clock {
  advance(seconds: number): void;
  /** How long each sleep was, in milliseconds, the first one first. */
  readonly sleeps: readonly number[];
}

/** Sleeping takes no time: it moves the clock by as much as was asked for. */
export function createManualClock(startsAt = Date.UTC(2026, 0, 15, 9)): ManualClock {
  let milliseconds = startsAt;
  const sleeps: number[] = [];
  return {
    now: () => milliseconds,
    sleep: async (duration) => {
      sleeps.push(duration);
      milliseconds += duration;
    },
    advance: (seconds) => {
      milliseconds += seconds * 1000;
    },
    sleeps,
  };
}
