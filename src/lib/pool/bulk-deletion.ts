/** Bulk delete: lists the platform, empties the pool, then deletes every room of ours except the persistent ones. */

import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import type { Clock, Queue } from "../ports.ts";
import { queueForDeletionOrLogLeak } from "./deletion-queue.ts";
import { decodeQueuedName, isPersistent, isRoom, parseMarker } from "./room.ts";

export interface BulkDeletion {
  /**
   * Deletes the rooms of ours that are on the platform when it begins, and those whose name is in the pool. Throws
   * `bulk-delete-incomplete` if some remain after 150 s, and PlatformError or QueueError, having changed nothing, if
   * the platform cannot be listed.
   */
  deleteAll(log: Log): Promise<void>;
}

export interface BulkDeletionOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly provisioning: Queue;
  readonly conferences: Pick<Conferences, "list" | "findByName" | "delete">;
  readonly clock: Clock;
}

// API Management cuts a request off after 200 s.
const maxSeconds = 150;
const leaseSeconds = 300;
const maxPerReceive = 32;
const maxPasses = 3;
const pauseMilliseconds = 1000;

/** A room to delete. Without an id its name was in the pool, but the list did not have it. */
interface Victim {
  readonly name: string;
  readonly id: number | undefined;
  readonly isMarked: boolean;
}

/** Creates bulk delete. One budget of 150 s holds for everything that it does. */
export function createBulkDeletion(options: BulkDeletionOptions): BulkDeletion {
  const { pool, deletion, provisioning, conferences, clock } = options;

  async function deleteAll(log: Log): Promise<void> {
    const startedAt = clock.now();
    const startBefore = startedAt + maxSeconds * 1000;
    // First, so that an outage or a wrong login leaves the pool as it is.
    const listed = await conferences.list({ startBefore });
    await provisioning.clear();
    const victims = chooseVictims(listed, await emptyPool(startBefore));
    const emptiedAt = clock.now();
    await deleteInPasses(victims, startBefore, log);
    const missed = await listMissed({ startedAt, emptiedAt, startBefore });
    await deleteInPasses(chooseVictims(missed, new Set()), startBefore, log);
    log.info("bulk-deleted", { rooms: victims.length + missed.length });
  }

  /** Takes all names out of the pool and clears what claims hold: their commit then fails, and no caller has the room. */
  async function emptyPool(startBefore: number): Promise<Set<string>> {
    const names = new Set<string>();
    for (;;) {
      const messages = await pool.receive(maxPerReceive, leaseSeconds);
      if (messages.length === 0) break;
      for (const { text } of messages) names.add(decodeQueuedName(text).room);
      // The names return to the pool when their leases end.
      if (clock.now() >= startBefore)
        throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 300 });
    }
    await pool.clear();
    return names;
  }

  /**
   * Lists once more and returns what the first list missed: rooms on a page that shifted while it was read, and pooled
   * rooms whose name was still invisible, so that it could be cleared but not received.
   */
  async function listMissed(times: { startedAt: number; emptiedAt: number; startBefore: number }) {
    return (await conferences.list({ startBefore: times.startBefore })).filter(({ description }) => {
      const marker = parseMarker(description);
      const limit = marker?.state === "pooled" ? times.emptiedAt : times.startedAt;
      return marker !== undefined && Date.parse(marker.since) < limit;
    });
  }

  /** Throws `bulk-delete-incomplete` if some rooms remain. */
  async function deleteInPasses(victims: readonly Victim[], startBefore: number, log: Log): Promise<void> {
    let remaining = victims;
    let failure: unknown;
    for (let pass = 1; pass <= maxPasses && remaining.length > 0 && clock.now() < startBefore; pass++) {
      if (pass > 1) await clock.sleep(pauseMilliseconds);
      const failed: Victim[] = [];
      // Not all at once: other calls in the background, such as a list for a caller, would wait behind all of them.
      await forEachParallel(remaining, async (victim) => {
        await deleteRoom(victim, startBefore, log).catch((error: unknown) => {
          failed.push(victim);
          failure = error;
        });
      });
      remaining = failed;
    }
    if (remaining.length === 0) return;
    await queueUnmarked(remaining, log);
    throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 30, cause: failure });
  }

  async function deleteRoom({ name, id }: Victim, startBefore: number, log: Log): Promise<void> {
    const found = id ?? (await findRoomId(name, startBefore));
    const wasThere = found !== undefined && (await conferences.delete(found, { startBefore }));
    log.info("room-deleted", { room: name, wasThere });
  }

  async function findRoomId(name: string, startBefore: number): Promise<number | undefined> {
    const room = await conferences.findByName(name, { startBefore });
    return room && isRoom(room) ? room.id : undefined;
  }

  /** The marker of the other rooms leads the next bulk delete to them. */
  async function queueUnmarked(remaining: readonly Victim[], log: Log): Promise<void> {
    const unmarked = remaining.filter(({ isMarked }) => !isMarked);
    await forEachParallel(unmarked, async ({ name: room }) =>
      queueForDeletionOrLogLeak(deletion, { room, queuedBy: "gateway" }, log),
    );
  }

  return { deleteAll };
}

/** Rooms with our marker, and rooms whose name was in the pool; persistent rooms are never among them. */
function chooseVictims(listed: readonly ConferenceRow[], pooledNames: ReadonlySet<string>): Victim[] {
  const matched = listed.flatMap((row): Victim[] => {
    const isMarked = parseMarker(row.description) !== undefined;
    return isMarked || (pooledNames.has(row.name) && isRoom(row))
      ? [{ name: row.name, id: row.id, isMarked }]
      : [];
  });
  const listedNames = new Set(listed.map(({ name }) => name));
  const unlisted = [...pooledNames].filter((name) => !listedNames.has(name));
  return [...matched, ...unlisted.map((name) => ({ name, id: undefined, isMarked: false }))].filter(
    ({ name }) => !isPersistent(name),
  );
}
