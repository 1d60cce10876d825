/** Queues assigned rooms that have reached their maximum age for deletion: their caller never used them. */

import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { Clock, Queue } from "../ports.ts";
import { encodeQueuedName, isPersistent, type MarkedRoom } from "./room.ts";

/** Ends rooms by their age. Called by each metrics run with what it has read. */
export interface OverdueRooms {
  /**
   * Queues the overdue rooms that are due in this run. Queues none unless rooms, running conferences and the depth of
   * the deletion queue are known. Throws QueueError if a room could not be queued; it is due again later.
   */
  queueForDeletion(known: KnownRooms, log: Log): Promise<void>;
}

/** What a metrics run knows; null if it could not be read. */
interface KnownRooms {
  readonly rooms: readonly MarkedRoom[] | null;
  /** Names of the running conferences. */
  readonly live: ReadonlySet<string> | null;
  readonly deletionDepth: number | null;
}

export interface OverdueRoomsOptions {
  readonly deletion: Queue;
  readonly clock: Clock;
  readonly maxAgeHours: number;
  /** What the garbage collector handles per run. */
  readonly maxMessages: number;
  readonly minAgeSeconds: number;
}

const millisecondsPerHour = 3600_000;
/** The time between two metrics runs. */
const windowMilliseconds = 300_000;
const maxEarlyMilliseconds = 30_000;
const windowsPerHour = millisecondsPerHour / windowMilliseconds;
const collectorRunsPerHour = 6;
/** Enough for a message that has its minimum age to be collected, even if several runs of the collector fail. */
const slackSeconds = 3000;

/**
 * Creates the part that queues overdue rooms.
 *
 * Of several messages with one name, the youngest decides. A room that were queued in each run, every five minutes,
 * would always have a young message and never be deleted. A run cannot know what earlier runs queued, because it may be
 * the first of its instance and the messages may be invisible. So the run's time decides. Each time of the metrics timer
 * has a window of five minutes. A room is queued in the first window that begins after it is overdue, and then in one
 * window per period until it is gone.
 *
 * - A run is in its own window if it is up to 30 seconds early or 4.5 minutes late.
 * - A missed run delays its rooms by one period, which is an hour unless the collector's minimum age is longer.
 * - Two runs in a window, for example on startup, queue a room twice within five minutes, which delays it by as much.
 * - The period exceeds the collector's minimum age, so a message is collected before the next one can postpone it.
 */
export function createOverdueRooms(options: OverdueRoomsOptions): OverdueRooms {
  const { deletion, clock, maxMessages } = options;
  const maxAgeMilliseconds = options.maxAgeHours * millisecondsPerHour;
  const windowsPerPeriod = Math.max(
    windowsPerHour,
    Math.ceil(((options.minAgeSeconds + slackSeconds) * 1000) / windowMilliseconds),
  );

  /** Never true for a room whose time cannot be parsed. */
  function isDue(since: number, now: number): boolean {
    const windowsAt = (time: number) => (time + maxEarlyMilliseconds) / windowMilliseconds;
    const windows = Math.floor(windowsAt(now)) - Math.ceil(windowsAt(since + maxAgeMilliseconds));
    return windows >= 0 && windows % windowsPerPeriod === 0;
  }

  return {
    async queueForDeletion({ rooms, live, deletionDepth }, log) {
      if (rooms === null || live === null || deletionDepth === null) return;
      const now = clock.now();
      const due = rooms
        .map(({ name, marker }) => ({ name, state: marker.state, since: Date.parse(marker.since) }))
        .filter(({ name, state, since }) => state === "assigned" && !live.has(name) && isDue(since, now))
        .filter(({ name }) => !isPersistent(name))
        .toSorted((one, other) => one.since - other.since);
      // Rooms whose conference has ended do not wait behind more than an hour of this work.
      const count = Math.max(0, collectorRunsPerHour * maxMessages - deletionDepth);
      if (due.length > count) log.warn("overdue-rooms-postponed", { count: due.length - count });
      await forEachParallel(due.slice(0, count), async ({ name, since }) => {
        await deletion.put(encodeQueuedName({ room: name }));
        const ageHours = Math.floor((now - since) / millisecondsPerHour);
        log.info("room-queued-for-deletion", { room: name, reason: "maximum-age", ageHours });
      });
    },
  };
}
