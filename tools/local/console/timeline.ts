/** Keeps what happened: the latest entries, the latest creates, and when each room's conference ended. */

import type { LogEntry } from "../host/messages.ts";
import type { HostedFunction } from "../host/triggers.ts";
import type { GatewayState, TimelineEntry } from "./console-state.ts";
import type { TimedCreate } from "./create-latency.ts";
import { createFunctionRuns, nameEntry } from "./function-runs.ts";

const maxEntries = 1000;
const maxCreates = 1000;
const createFunctions = ["createRoomFromQueue", "createRoom"];

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const runs = createFunctionRuns();
  const entries = new Map<string, TimelineEntry>();
  const known = new Map<string, { path: string; room?: string | undefined }>();
  const listeners = new Set<(entry: TimelineEntry) => void>();
  const queuedAt = new Map<string, number>();
  const creates: TimedCreate[] = [];
  let functions: readonly HostedFunction[] = [];
  let isUp = true;

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
      if (createFunctions.includes(entry.title) && (entry.status === 200 || entry.tone === "bad")) {
        const { time, durationMilliseconds: milliseconds = 0, tone } = entry;
        creates.push({ time, milliseconds, hasFailed: tone === "bad" });
        creates.splice(0, creates.length - maxCreates);
      }
      if (entry.steps.some((step) => /^Room (queued for deletion|discarded)/.test(step))) {
        for (const room of entry.rooms) queuedAt.set(room, entry.time);
        trim(queuedAt, maxEntries);
      }
      add(withPath(nameEntry(entry, functions)));
    },
    /** Receives each state of the gateway's app. */
    onState: ({ state, reason }: GatewayState): void => {
      const time = Date.now();
      const tone = state === "up" ? "good" : "bad";
      const title = `Gateway ${state === "up" ? "up again" : state}`;
      const steps = reason === undefined ? [] : [reason];
      if (state !== "up" || !isUp)
        add({ id: `${title} ${time}`, time, kind: "outage", tone, title, steps, rooms: [] });
      isUp = state === "up";
    },
    /** Sets the app's functions, whose routes name the entries of requests. */
    setFunctions: (given: readonly HostedFunction[]) => {
      if (functions === given) return;
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
    /** The latest creates that succeeded or failed with 5xx. */
    creates: (): readonly TimedCreate[] => creates,
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
