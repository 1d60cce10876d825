/** A clock that only moves when a test advances it. */
import type { Clock } from "../../src/lib/ports.ts";

export interface ManualClock extends Clock {
  advance(seconds: number): void;
  /** The duration of each sleep in milliseconds, in order. */
  readonly sleeps: readonly number[];
}

/** `sleep` returns at once and advances the clock by its duration. */
export function createManualClock(startsAt = Date.UTC(2026, 0, 15, 9)): ManualClock {
  let milliseconds = startsAt;
  const sleeps: number[] = [];
  const timers: { readonly at: number; readonly resolve: () => void }[] = [];
  const until = async (at: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      timers.push({ at, resolve });
      signal.addEventListener("abort", () => reject(new Error("the sleep was aborted")));
    });
  return {
    now: () => milliseconds,
    sleep: async (duration, signal) => {
      if (signal) return until(milliseconds + duration, signal);
      sleeps.push(duration);
      milliseconds += duration;
    },
    advance: (seconds) => {
      milliseconds += seconds * 1000;
      for (const { at, resolve } of timers) if (at <= milliseconds) resolve();
    },
    sleeps,
  };
}
