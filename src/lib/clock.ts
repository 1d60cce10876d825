/** Time as a parameter: tests and the simulation replace the system clock. */
import { setTimeout as wait } from "node:timers/promises";

/** A source of time that can also wait. */
export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Resolves after this many milliseconds. May reject as soon as `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The operating system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, { signal });
  },
};
