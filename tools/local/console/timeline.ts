/** Keeps what happened: the latest entries, the durations of creates, and when each room's conference ended. */

import type { LogEntry } from "../host/messages.ts";
import type { HostedFunction } from "../host/triggers.ts";
import type { TimelineEntry } from "./console-state.ts";
import { createFunctionRuns, nameEntry } from "./function-runs.ts";

const maxEntries = 1000;
const maxDurations = 1000;
const createFunctions = ["createRoomFromQueue", "createRoom"];

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const runs = createFunctionRuns();
  const entries = new Map<string, TimelineEntry>();
  const known = new Map<string, { path: string; room?: string | undefined }>();
  const listeners = new Set<(entry: TimelineEntry) => void>();
  const queuedAt = new Map<string, number>();
  const durations: number[] = [];
  let functions: readonly HostedFunction[] = [];

  function add(entry: TimelineEntry): void {
    entries.set(entry.id, entry);
    trim(entries, maxEntries);
    for (const listener of listeners) listener(entry);
  }

  function withPath(entry: TimelineEntry): TimelineEntry {
    const { path, room } = known.get(entry.id) ?? {};
    if (path === undefined) return entry;
    const rooms = room === undefined ? entry.rooms : [...new Set([...entry.rooms, room])];
    return { ...entry, title: `${entry.title.split(" ")[0]} ${path}`, rooms };
  }

  return {
    /** Receives the host's log, from before the console has started. */
    onLog: (logged: LogEntry): void => {
      const entry = runs.read(logged, Date.now());
      if (!entry) return;
      if (createFunctions.includes(entry.title) && entry.status === 200) {
        durations.push(entry.durationMilliseconds ?? 0);
        durations.splice(0, durations.length - maxDurations);
      }
      if (entry.steps.some((step) => /^Room (queued for deletion|discarded)/.test(step))) {
        for (const room of entry.rooms) queuedAt.set(room, entry.time);
        trim(queuedAt, maxEntries);
      }
      add(withPath(nameEntry(entry, functions)));
    },
    /** Tells which functions there are, which names the entries of requests. */
    setFunctions: (given: readonly HostedFunction[]) => {
      functions = given;
      for (const entry of entries.values()) entries.set(entry.id, withPath(nameEntry(entry, functions)));
    },
    add,
    /** Gives an entry, which may not exist yet, its path with the room's name. */
    setPath: (id: string, path: string, room?: string) => {
      known.set(id, { path, room });
      trim(known, maxEntries);
      const entry = entries.get(id);
      if (entry) add(withPath(entry));
    },
    entries: (): TimelineEntry[] => [...entries.values()],
    /** Calls the listener with each entry that is new or has changed. Returns the function that ends it. */
    subscribe: (listener: (entry: TimelineEntry) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** How long the latest successful creates took, in milliseconds. */
    createDurations: (): readonly number[] => durations,
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
