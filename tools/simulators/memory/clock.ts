/** The clock of tests, simulation and exploration: virtual time, which passes only when it is told to. */
import type { RandomSource } from "../../../src/lib/ports.ts";

interface PlannedEvent {
  readonly at: number;
  readonly rank: number;
  readonly run: () => void;
}

export type VirtualClock = ReturnType<typeof createVirtualClock>;

/** Creates a clock. `random` decides the order of events that are due at the same time. */
export function createVirtualClock(
  random: Pick<RandomSource, "integerBelow">,
  startsAt = Date.UTC(2030, 0, 1),
) {
  let now = startsAt;
  const events: PlannedEvent[] = [];

  function takeNext(until: number): PlannedEvent | undefined {
    let best: PlannedEvent | undefined;
    for (const event of events) {
      if (!best || event.at < best.at || (event.at === best.at && event.rank < best.rank)) best = event;
    }
    if (!best || best.at > until) return undefined;
    events.splice(events.indexOf(best), 1);
    return best;
  }

  /** Runs something when this time has passed. */
  function after(milliseconds: number, run: () => void): PlannedEvent {
    const event = { at: now + milliseconds, rank: random.integerBelow(2 ** 30), run };
    events.push(event);
    return event;
  }

  return {
    now: () => now,
    sleep: async (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const event = after(milliseconds, resolve);
        signal?.addEventListener("abort", () => {
          const index = events.indexOf(event);
          if (index >= 0) events.splice(index, 1);
          reject(new Error("the sleep was aborted"));
        });
      }),
    after,
    /** Returns when the planned events are due, in milliseconds since 1970. */
    dueTimes: (): readonly number[] => events.map(({ at }) => at),
    /** Moves the clock without running anything. */
    elapse(milliseconds: number): void {
      now += milliseconds;
    },
    /** Runs the events that are due, without waiting for their effects. */
    runDue(): void {
      for (let event = takeNext(now); event; event = takeNext(now)) event.run();
    },
    /** Runs what is due in this time, one event after the other, or until `isDone`. Returns whether that ended it. */
    async advance(milliseconds: number, isDone = () => false): Promise<boolean> {
      const until = now + milliseconds;
      // Code that was started before this call runs to its first wait.
      await settlePromises();
      while (!isDone()) {
        const event = takeNext(until);
        if (!event) {
          now = until;
          return false;
        }
        now = Math.max(now, event.at);
        event.run();
        await settlePromises();
      }
      return true;
    },
  };
}

/** Waits one turn of the event loop, so the code behind every settled promise has run. */
export async function settlePromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export type ManualClock = ReturnType<typeof createManualClock>;

/** A virtual clock whose `sleep` advances it and returns at once, unless it has a signal. */
export function createManualClock(startsAt = Date.UTC(2026, 0, 15, 9)) {
  const clock = createVirtualClock({ integerBelow: () => 0 }, startsAt);
  const sleeps: number[] = [];
  return {
    now: () => clock.now(),
    sleep: async (duration: number, signal?: AbortSignal): Promise<void> => {
      if (signal) return clock.sleep(duration, signal);
      sleeps.push(duration);
      clock.elapse(duration);
    },
    advance: (seconds: number): void => {
      clock.elapse(seconds * 1000);
      clock.runDue();
    },
    /** The duration of each sleep in milliseconds, in order. */
    sleeps: sleeps as readonly number[],
  };
}
