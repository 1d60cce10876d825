/** A clock on virtual time, for parts that wait. */
import type { Clock } from "../../src/lib/ports.ts";
import type { Scheduler } from "../simulation/scheduler.ts";

/** Returns a clock whose sleeps end in the scheduler's virtual time. */
export function createVirtualClock(scheduler: Scheduler): Clock {
  return {
    now: scheduler.now,
    sleep: async (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        scheduler.after(milliseconds, resolve);
        signal?.addEventListener("abort", () => reject(new Error("the sleep was aborted")));
      }),
  };
}
