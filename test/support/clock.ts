/** The clock of tests, simulation and exploration: virtual time, which passes only when it is told to. */
import type { Clock, RandomSource } from "../../src/lib/ports.ts";

export interface VirtualClock extends Clock {
  /** Runs something when this time has passed. */
  after(milliseconds: number, run: () => void): void;
  /** When the planned events are due, in milliseconds since 1970. */
  dueTimes(): readonly number[];
  /** Moves the clock without running anything. */
  elapse(milliseconds: number): void;
  /** Runs the events that are due, without waiting for their effects. */
  runDue(): void;
  /** Runs what is due within this time, one event after the other, or until `isDone`. Returns whether that ended it. */
  advance(milliseconds: number, isDone?: () => boolean): Promise<boolean>;
}

interface PlannedEvent {
  readonly at: number;
  readonly rank: number;
  readonly run: () => void;
}

/** Creates a clock. `random` decides the order of events that are due at the same time. */
export function createVirtualClock(
  random: Pick<RandomSource, "integerBelow">,
  startsAt = Date.UTC(2030, 0, 1),
): VirtualClock {
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

  function after(milliseconds: number, run: () => void): void {
    events.push({ at: now + milliseconds, rank: random.integerBelow(2 ** 30), run });
  }

  return {
    now: () => now,
    sleep: async (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        after(milliseconds, resolve);
        signal?.addEventListener("abort", () => reject(new Error("the sleep was aborted")));
      }),
    after,
    dueTimes: () => events.map(({ at }) => at),
    elapse(milliseconds) {
      now += milliseconds;
    },
    runDue() {
      for (let event = takeNext(now); event; event = takeNext(now)) event.run();
    },
    async advance(milliseconds, isDone = () => false) {
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

export interface ManualClock extends Clock {
  advance(seconds: number): void;
  /** The duration of each sleep in milliseconds, in order. */
  readonly sleeps: readonly number[];
}

/** A virtual clock whose `sleep` advances it and returns at once, unless it has a signal. */
export function createManualClock(startsAt = Date.UTC(2026, 0, 15, 9)): ManualClock {
  const clock = createVirtualClock({ integerBelow: () => 0 }, startsAt);
  const sleeps: number[] = [];
  return {
    now: () => clock.now(),
    sleep: async (duration, signal) => {
      if (signal) return clock.sleep(duration, signal);
      sleeps.push(duration);
      clock.elapse(duration);
    },
    advance: (seconds) => {
      clock.elapse(seconds * 1000);
      clock.runDue();
    },
    sleeps,
  };
}
