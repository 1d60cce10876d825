/** Keeps what happened: the latest entries, and when each room was queued for deletion. */

import type { AppState, LogEntry } from "../../simulators/host/messages.ts";
import type { TimelineEntry } from "./console-state.ts";
import { createFunctionRuns } from "./function-runs.ts";

const maxEntries = 1000;

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const runs = createFunctionRuns();
  const entries = new Map<string, TimelineEntry>();
  const listeners = new Set<(entry: TimelineEntry) => void>();
  const queuedAt = new Map<string, number>();
  let isUp = true;

  function add(entry: TimelineEntry): void {
    entries.set(entry.id, entry);
    trim(entries, maxEntries);
    for (const listener of listeners) listener(entry);
  }

  return {
    /** Receives the host's log, from before the console has started. */
    onLog: (logged: LogEntry): void => {
      const entry = runs.read(logged, Date.now());
      if (!entry) return;
      if (entry.steps.some((step) => /^Room (queued for deletion|discarded)/.test(step))) {
        for (const room of entry.rooms) queuedAt.set(room, entry.time);
        trim(queuedAt, maxEntries);
      }
      add(entry);
    },
    /** Receives each state of the gateway's app. */
    onState: ({ state, reason }: AppState): void => {
      const time = Date.now();
      const tone = state === "up" ? "good" : "bad";
      const title = `Gateway ${state === "up" ? "up again" : state}`;
      const steps = reason === undefined ? [] : [reason];
      if (state !== "up" || !isUp)
        add({ id: `${title} ${time}`, time, kind: "outage", tone, title, steps, rooms: [] });
      isUp = state === "up";
    },
    add,
    entries: (): TimelineEntry[] => [...entries.values()],
    /** Calls the listener with each entry that is new or has changed. Returns the function that ends it. */
    subscribe: (listener: (entry: TimelineEntry) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** When a room was queued for deletion, in milliseconds since 1970. */
    queuedForDeletionAt: (room: string) => queuedAt.get(room),
  };
}

/** Removes the oldest items beyond the limit. */
function trim<Item>(items: Map<string, Item>, limit: number): void {
  for (const key of items.keys()) {
    if (items.size <= limit) return;
    items.delete(key);
  }
}
