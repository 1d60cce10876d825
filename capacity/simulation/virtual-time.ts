/** Virtual time for long runs: events wait in a heap, and the clock jumps from one to the next. */
import { nextTick } from "node:process";
import TinyQueue from "tinyqueue";
import type { Clock } from "../../src/lib/ports.ts";

export interface VirtualTime extends Clock {
  /** Runs events in the order of their time until `isDone` or until none is left. */
  runUntil(isDone: () => boolean): Promise<void>;
}

interface TimedEvent {
  readonly at: number;
  /** Decides between events that are due at the same time. */
  readonly order: number;
  readonly run: () => void;
}

const startedAt = Date.UTC(2030, 0, 1);

export function createVirtualTime(): VirtualTime {
  const events = new TinyQueue<TimedEvent>([], (one, other) => one.at - other.at || one.order - other.order);
  let now = startedAt;
  let lastOrder = 0;
  return {
    now: () => now,
    sleep: async (milliseconds) =>
      new Promise((run) => {
        lastOrder += 1;
        events.push({ at: now + Math.max(0, milliseconds), order: lastOrder, run });
      }),
    async runUntil(isDone) {
      for (;;) {
        await settlePromises();
        const event = isDone() ? undefined : events.pop();
        if (!event) return;
        now = event.at;
        event.run();
      }
    },
  };
}

/** Runs the code behind every settled promise. Cheaper than a turn of the event loop, and as good if nothing does I/O. */
async function settlePromises(): Promise<void> {
  await new Promise<void>((resolve) => nextTick(resolve));
}
