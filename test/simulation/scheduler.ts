/** Virtual time: events run one after the other, and the clock jumps from one to the next. */
import type { RandomSource } from "../../src/lib/ports.ts";

export interface Scheduler {
  /** Milliseconds since 1970, as in Clock. */
  readonly now: () => number;
  after(milliseconds: number, run: () => void): void;
  /** When the scheduled events are due, in scheduler milliseconds. */
  readonly dueTimes: () => readonly number[];
  /** Moves the clock without running anything. */
  elapse(milliseconds: number): void;
  /** Runs what is due within this time, or until `isDone`. Returns whether `isDone` ended it. */
  advance(milliseconds: number, isDone?: () => boolean): Promise<boolean>;
}

interface ScheduledEvent {
  readonly at: number;
  readonly rank: number;
  readonly run: () => void;
}

const startedAt = Date.UTC(2030, 0, 1);

/** Creates a scheduler. `random` decides the order of events that are due at the same time. */
export function createScheduler(random: RandomSource): Scheduler {
  let now = startedAt;
  const events: ScheduledEvent[] = [];

  function takeNext(until: number): ScheduledEvent | undefined {
    let best: ScheduledEvent | undefined;
    for (const event of events) {
      if (!best || event.at < best.at || (event.at === best.at && event.rank < best.rank)) best = event;
    }
    if (!best || best.at > until) return undefined;
    events.splice(events.indexOf(best), 1);
    return best;
  }

  return {
    now: () => now,
    dueTimes: () => events.map(({ at }) => at),
    elapse(milliseconds) {
      now += milliseconds;
    },
    after(milliseconds, run) {
      events.push({ at: now + milliseconds, rank: random.integerBelow(2 ** 30), run });
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
