/** Garbage collection: deletes the rooms whose conference has ended, and nothing else. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformStatus } from "../platform/status.ts";
import { deleteConfirmed } from "../queues/delete-confirmed.ts";
import type { Queue, QueueMessage } from "../queues/queue.ts";
import { parseMarker } from "../rooms/marker.ts";
import { isForeign, isPersistent } from "../rooms/ownership.ts";

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
}

const maxPerReceive = 32;
// Below the ten minutes between two runs, so that what a dead run held is there for the next.
const leaseSeconds = 540;
const maxRetrySeconds = 6 * 3600;
// Below the lease and the host's time limit: what is not begun by then comes back with its lease.
const maxRunSeconds = 400;
// Clocks differ, and a queue counts in whole seconds.
const clockToleranceSeconds = 60;

export function createGarbageCollection(options: GarbageCollectionOptions): GarbageCollection {
  const { deletion, conferences, status, clock, minAgeSeconds } = options;

  async function collect(log: Log): Promise<void> {
    const until = clock.now() + maxRunSeconds * 1000;
    const messages = await receiveAll();
    if (messages.length === 0) return;
    const rooms = new Map((await listOrPostpone(messages)).map((room) => [room.name, room]));
    const failures: unknown[] = [];
    for (const { youngest, older } of byRoom(messages)) {
      if (clock.now() >= until) {
        log.warn("collection-cut-short", { messages: messages.length });
        break;
      }
      try {
        await handle(youngest, rooms.get(youngest.text), log);
        // Not before: when the lease of the youngest was lost, an older one may be the last that the room has.
        for (const message of older) await remove(message, "repeated", log);
      } catch (error) {
        const { text: room, dequeueCount } = youngest;
        log.error("deletion-failed", { room, dequeueCount }, error);
        failures.push(error);
        for (const message of [youngest, ...older]) await postpone(message);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} rooms could not be collected`);
  }

  async function receiveAll(): Promise<QueueMessage[]> {
    const messages: QueueMessage[] = [];
    while (messages.length < options.maxMessages) {
      const wanted = Math.min(maxPerReceive, options.maxMessages - messages.length);
      const batch = await deletion.receive(wanted, leaseSeconds);
      messages.push(...batch);
      if (batch.length === 0) break;
    }
    return messages;
  }

  async function listOrPostpone(messages: readonly QueueMessage[]): Promise<ConferenceRow[]> {
    try {
      return await conferences.list();
    } catch (error) {
      for (const message of messages) await postpone(message);
      throw error;
    }
  }

  async function handle(message: QueueMessage, listed: ConferenceRow | undefined, log: Log): Promise<void> {
    const name = message.text;
    if (isPersistent(name)) return remove(message, "persistent", log);
    // Pages shift while rooms are deleted, so absence from the list alone proves nothing.
    const room = listed ?? (await conferences.findByName(name));
    if (!room) return remove(message, "gone", log);
    if (isForeign(room)) return remove(message, "foreign", log);
    const missingSeconds = minAgeSeconds - message.ageSeconds;
    if (missingSeconds > 0) {
      log.info("deletion-skipped", { room: name, reason: "young" });
      return deletion.setInvisible(message, Math.ceil(missingSeconds));
    }
    if (isAssignedSince(message, room)) return remove(message, "assigned-later", log);
    if (await isLive(name, log)) return remove(message, "live", log);
    const wasThere = await conferences.delete(room.id);
    log.info("room-deleted", { room: name, wasThere });
    await removeConfirmed(message);
  }

  /** Whether the room was handed out after its message was queued: what ended then was not this caller's conference. */
  function isAssignedSince({ ageSeconds }: QueueMessage, { description }: ConferenceRow): boolean {
    const marker = parseMarker(description);
    const queuedAt = clock.now() - ageSeconds * 1000;
    return marker?.state === "assigned" && Date.parse(marker.since) > queuedAt + clockToleranceSeconds * 1000;
  }

  /** When the status API cannot be asked, the specification's rule applies unchanged. */
  async function isLive(name: string, log: Log): Promise<boolean> {
    try {
      return await status.isLive(name);
    } catch (error) {
      log.warn("live-check-unavailable", { room: name }, error);
      return false;
    }
  }

  async function remove(message: QueueMessage, reason: string, log: Log): Promise<void> {
    await removeConfirmed(message);
    log.info("deletion-skipped", { room: message.text, reason });
  }

  async function removeConfirmed(message: QueueMessage): Promise<void> {
    const outcome = await deleteConfirmed(deletion, message);
    if (outcome === "unknown") throw new Error("the deletion message could not be removed");
  }

  /** Later and later, up to six hours, so that one bad room does not use up every run. */
  async function postpone(message: QueueMessage): Promise<void> {
    const seconds = Math.min(600 * message.dequeueCount, maxRetrySeconds);
    // When this fails too, the lease runs out and the next run sees the message.
    await deletion.setInvisible(message, seconds).catch(() => undefined);
  }

  return { collect };
}

/** The same name twice is one room: its youngest message decides about all. */
function byRoom(messages: readonly QueueMessage[]): { youngest: QueueMessage; older: QueueMessage[] }[] {
  const rooms = new Map<string, { youngest: QueueMessage; older: QueueMessage[] }>();
  for (const message of messages.toSorted((one, other) => one.ageSeconds - other.ageSeconds)) {
    const room = rooms.get(message.text);
    if (room) room.older.push(message);
    else rooms.set(message.text, { youngest: message, older: [] });
  }
  return [...rooms.values()];
}
