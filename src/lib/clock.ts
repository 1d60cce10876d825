/** Time as a parameter, so that tests and the simulation can move it. */
import { setTimeout as wait } from "node:timers/promises";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds) => {
    await wait(milliseconds);
  },
};
