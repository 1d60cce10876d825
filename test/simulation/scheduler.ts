/** Virtual time: events happen one after the other, and time jumps from one to the next. */
import type { RandomSource } from "../../src/lib/random.ts";

export interface Scheduler {
  /** Milliseconds since 1970, as a Clock gives them. */
  readonly now: () => number;
  after(milliseconds: number, run: () => void): void;
  /** Runs what is due within so many milliseconds, or until `isDone`; returns whether `isDone` ended it. */
  advance(milliseconds: number, isDone?: () => boolean): Promise<boolean>;
}

interface ScheduledEvent {
  readonly at: number;
  readonly rank: number;
  readonly run: () => void;
}

const startedAt = Date.UTC(2030, 0, 1);

/** Events of the same moment happen in an order that `random` decides. */
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
    after(milliseconds, run) {
      events.push({ at: now + milliseconds, rank: random.integerBelow(2 ** 30), run });
    },
    async advance(milliseconds, isDone = () => false) {
      const until = now + milliseconds;
      // What was started before this call runs up to its first wait.
      await settlePromises();
      while (!isDone()) {
        const event = takeNext(until);
        if (!event) {
          now = until;
          return false;
        }
        now = event.at;
        event.run();
        await settlePromises();
      }
      return true;
    },
  };
}

/** One turn of the event loop: every promise that was settled has run as far as it can. */
async function settlePromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
