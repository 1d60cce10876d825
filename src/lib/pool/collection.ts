/** Garbage collection: deletes the rooms whose conference has ended, and nothing else. */
import type { Log } from "../log.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { PlatformStatus } from "../platform/status.ts";
import { type Clock, deleteConfirmed, type Queue, type QueueMessage } from "../ports.ts";
import { type EndedRoom, groupByRoom, isAssignedAfter, receiveUpTo } from "./deletion-queue.ts";
import { isForeign, isPersistent, isRoom, parseMarker, type UnmarkedRooms } from "./room.ts";

export interface GarbageCollection {
  /** One run. Throws PlatformError or QueueError when nothing could be done, AggregateError when some rooms failed. */
  collect(log: Log): Promise<void>;
}

export interface GarbageCollectionOptions {
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "list" | "delete">;
  readonly status: Pick<PlatformStatus, "isLive">;
  readonly clock: Clock;
  readonly maxMessages: number;
  readonly minAgeSeconds: number;
  readonly unmarkedRooms: UnmarkedRooms;
}

// Below the ten minutes between two runs, so that what a dead run held is there for the next.
const leaseSeconds = 540;
const maxRetrySeconds = 6 * 3600;
// Below the lease and the host's time limit: what is not begun by then comes back with its lease.
const maxRunSeconds = 400;

interface Run {
  readonly log: Log;
  /** How many rooms without our marker this run has deleted. */
  unmarkedRooms: number;
}

/** Creates the collector. Its runs may overlap: the leases of their messages keep them apart. */
export function createGarbageCollection(options: GarbageCollectionOptions): GarbageCollection {
  const { deletion, conferences, status, clock, minAgeSeconds, unmarkedRooms } = options;

  async function collect(log: Log): Promise<void> {
    const startBefore = clock.now() + maxRunSeconds * 1000;
    const messages = await receiveUpTo(deletion, options.maxMessages, leaseSeconds);
    if (messages.length === 0) return;
    const endedRooms = groupByRoom(messages);
    const listed = new Map((await listOrPostpone(messages)).map((room) => [room.name, room]));
    const run: Run = { log, unmarkedRooms: 0 };
    const failures: unknown[] = [];
    for (const ended of endedRooms) {
      if (clock.now() >= startBefore) {
        log.warn("collection-cut-short", { messages: messages.length });
        break;
      }
      await handle(ended, listed.get(ended.room), run).catch(async (error: unknown) => {
        log.error("deletion-failed", { room: ended.room, dequeueCount: ended.youngest.dequeueCount }, error);
        failures.push(error);
        const isPlatformDown = error instanceof PlatformError && error.code !== "platform-rejected";
        for (const message of [ended.youngest, ...ended.older])
          await postpone(message, isPlatformDown ? 1 : message.dequeueCount);
      });
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} rooms could not be collected`);
  }

  async function listOrPostpone(messages: readonly QueueMessage[]): Promise<ConferenceRow[]> {
    try {
      return await conferences.list();
    } catch (error) {
      // The platform as a whole failed, which is no reason to let any room wait longer than the next run.
      for (const message of messages) await postpone(message, 1);
      throw error;
    }
  }

  async function handle(ended: EndedRoom, listed: ConferenceRow | undefined, run: Run): Promise<void> {
    const { room, youngest, older } = ended;
    const reason = await deleteUnlessKept(ended, listed, run);
    if (reason !== undefined) run.log.info("deletion-skipped", { room, reason });
    if (reason === "young")
      await deletion.setInvisible(youngest, Math.ceil(minAgeSeconds - youngest.ageSeconds));
    else await removeConfirmed(youngest);
    // Not before: if the lease of the youngest was lost, an older message may be the last that the room has.
    for (const message of older) {
      await removeConfirmed(message);
      run.log.info("deletion-skipped", { room, reason: "repeated" });
    }
  }

  /** Deletes the room, or returns the reason to keep it. */
  async function deleteUnlessKept(
    { room, youngest, isQueuedByGateway }: EndedRoom,
    listed: ConferenceRow | undefined,
    run: Run,
  ): Promise<string | undefined> {
    const isOthers = (row: ConferenceRow) =>
      isQueuedByGateway ? !isRoom(row) : isForeign(row, unmarkedRooms);
    if (isPersistent(room)) return "persistent";
    // Pages shift while rooms are deleted, so absence from the list alone proves nothing.
    const seen = listed ?? (await conferences.findByName(room));
    if (!seen) return "gone";
    if (isOthers(seen)) return "foreign";
    if (youngest.ageSeconds < minAgeSeconds) return "young";
    // The list can be minutes old: the room may have been handed out since.
    const current = await conferences.findByName(room);
    if (!current) return "gone";
    if (isOthers(current)) return "foreign";
    if (isAssignedAfter(current, youngest)) return "assigned-later";
    if (await isLive(room, run.log)) return "live";
    const wasThere = await conferences.delete(current.id);
    run.log.info("room-deleted", { room, wasThere });
    if (parseMarker(current.description) === undefined && run.unmarkedRooms++ === 0)
      run.log.warn("unmarked-room-deleted", { room });
    return undefined;
  }

  /** If the status API cannot be read, the specification's rule applies unchanged. */
  async function isLive(room: string, log: Log): Promise<boolean> {
    try {
      return await status.isLive(room);
    } catch (error) {
      log.warn("live-check-unavailable", { room }, error);
      return false;
    }
  }

  async function removeConfirmed(message: QueueMessage): Promise<void> {
    const outcome = await deleteConfirmed(deletion, message);
    if (outcome === "unknown") throw new Error("the deletion message could not be removed");
  }

  /** Waits longer after each attempt, up to six hours, so that one bad room does not use up every run. */
  async function postpone(message: QueueMessage, attempts: number): Promise<void> {
    const seconds = Math.min(600 * attempts, maxRetrySeconds);
    // If this fails too, the lease ends and the next run receives the message.
    await deletion.setInvisible(message, seconds).catch(() => undefined);
  }

  return { collect };
}
