/**
 * Bulk delete: lists the platform, empties the pool, then deletes every listed room of ours but the persistent ones.
 */
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { queueForDeletion } from "../ownership/deletion-queue.ts";
import {
  decodeRoomMessage,
  isPersistent,
  isRoom,
  type OwnershipRules,
  parseMarker,
} from "../ownership/room.ts";
import { forEachParallel } from "../parallel.ts";
import type { PlatformClient } from "../platform/client.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import type { Clock } from "../ports.ts";
import type { Queue } from "../queue.ts";
import { clockToleranceMilliseconds, type DeletionRequest, decide } from "./decisions.ts";
import { createRoomDeletion } from "./room-deletion.ts";

export type BulkDeletion = ReturnType<typeof createBulkDeletion>;

export interface BulkDeletionOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly provisioning: Queue;
  readonly conferences: Pick<Conferences, "list" | "findByName" | "delete">;
  readonly takeSlot: PlatformClient["background"]["takeSlot"];
  readonly clock: Clock;
  readonly gatewayName: string;
}

// API Management cuts a request off after 200 s.
const maxSeconds = 150;
const leaseSeconds = 300;
const maxPerReceive = 32;
const maxDeletingPasses = 3;
const pauseMilliseconds = 1000;

/** What one call of `deleteAll` knows. */
interface Progress {
  readonly log: Log;
  readonly startedAt: number;
  readonly startBefore: number;
  /** The rooms of the first list, by name. */
  readonly listed: ReadonlyMap<string, ConferenceRow>;
  /** The names that the pool held. No claim can commit them any more. */
  readonly received: Set<string>;
  /** The rooms that a pass has tried to delete. */
  readonly tried: Set<string>;
  deletedRooms: number;
}

/** Creates bulk delete. One budget of 150 s covers everything that it does. */
export function createBulkDeletion(options: BulkDeletionOptions) {
  const { pool, deletion, provisioning, conferences, takeSlot, clock } = options;
  const ownership = { gatewayName: options.gatewayName, unmarkedRooms: "collect" } as const;
  const deleteRoom = createRoomDeletion({ conferences, takeSlot, clock, ...ownership });

  /**
   * Deletes the gateway's rooms that are on the platform when it begins, and those whose name is in the pool, but no
   * room that was pooled in the first list and has been handed out since. Throws `bulk-delete-incomplete` if some
   * remain after three passes or 150 s, and PlatformError, having changed nothing, if the platform cannot be listed.
   *
   * Each pass lists the rooms, empties the pool, and deletes what the list shows. The name of a listed room was in the
   * pool before, so it is removed, or a claim has committed it. Ends when a list has no room to delete.
   */
  async function deleteAll(log: Log): Promise<void> {
    const startedAt = clock.now();
    const startBefore = startedAt + maxSeconds * 1000;
    // First, so that an outage or a wrong password leaves the pool as it is.
    const first = await conferences.list({ startBefore });
    const listed = new Map(first.map((row) => [row.name, row]));
    const progress: Progress = {
      log,
      startedAt,
      startBefore,
      listed,
      received: new Set(),
      tried: new Set(),
      deletedRooms: 0,
    };
    let failure = await deleteListed(first, progress);
    for (let pass = 2; clock.now() < startBefore; pass++) {
      if (failure) await clock.sleep(pauseMilliseconds);
      let rows: readonly ConferenceRow[] | undefined;
      try {
        rows = await conferences.list({ startBefore });
      } catch (error) {
        failure = error;
      }
      // In the end, only rooms that could not be deleted count, or bulk delete would not end while rooms are made.
      const isLast = pass > maxDeletingPasses;
      const left = rows?.filter(
        (row) => isDue(row, progress, ownership) && (!isLast || progress.tried.has(row.name)),
      );
      if (left?.length === 0) return log.info("bulk-deleted", { rooms: progress.deletedRooms });
      if (isLast) break;
      if (rows) failure = await deleteListed(rows, progress);
    }
    throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 30, cause: failure });
  }

  /** One pass. Returns a failure if a room could not be deleted. */
  async function deleteListed(rows: readonly ConferenceRow[], progress: Progress): Promise<unknown> {
    const { log, startBefore } = progress;
    let failure: unknown;
    await provisioning.clear();
    await emptyPool(progress);
    const due = rows.filter((row) => isDue(row, progress, ownership));
    await forEachParallel(due, async (row) => {
      progress.tried.add(row.name);
      const call = { log, startBefore, row: isSure(row.name, progress) ? row : undefined };
      try {
        const { action } = await deleteRoom(requestFor(row.name, progress), call);
        if (action === "delete") progress.deletedRooms += 1;
      } catch (error) {
        failure = error;
      }
    });
    return failure;
  }

  /**
   * Removes all names from the pool, including those that claims hold, whose commits then fail. The next bulk
   * delete finds a room by its marker; a room without one is queued for deletion before its name is removed.
   */
  async function emptyPool({ startBefore, listed, received }: Progress): Promise<void> {
    const isUnmarkedRoom = (row: ConferenceRow | undefined) =>
      row && isRoom(row) && parseMarker(row.description) === undefined;
    for (;;) {
      const messages = await pool.receive(maxPerReceive, leaseSeconds);
      // The names return to the pool when their leases end, so a claim may have one of them if this took too long.
      if (clock.now() >= startBefore)
        throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 60 });
      if (messages.length === 0) break;
      const names = messages.map(({ text }) => decodeRoomMessage(text).room);
      const unmarked = names.filter((name) => isUnmarkedRoom(listed.get(name)) && !isPersistent(name));
      await forEachParallel(unmarked, async (room) =>
        queueForDeletion(deletion, { room, reason: "bulk-delete" }),
      );
      for (const name of names) received.add(name);
    }
    await pool.clear();
  }

  return { deleteAll };
}

/** Returns whether a listed room is ours and is to be deleted. */
function isDue(row: ConferenceRow, progress: Progress, ownership: OwnershipRules): boolean {
  const { name, description } = row;
  const isOurs = parseMarker(description) !== undefined || progress.received.has(name);
  return isOurs && decide(requestFor(name, progress), row, ownership).action === "delete";
}

/** Returns whether no claim can have been given the room since the first list, so that no look-up is needed. */
function isSure(name: string, { listed, received }: Progress): boolean {
  return received.has(name) || parseMarker(listed.get(name)?.description)?.state === "assigned";
}

/**
 * Returns what bulk delete asks for. It compares no clocks: a room that the first list shows as assigned is deleted,
 * and one that was assigned after that list is kept. Times decide only about rooms that the first list missed.
 */
function requestFor(room: string, progress: Progress): DeletionRequest {
  const { startedAt, listed } = progress;
  return {
    room,
    sender: "gateway",
    isOverdue: false,
    isGivenUp: () => isSure(room, progress),
    isAssignedLater: ({ since }) =>
      listed.has(room) || Date.parse(since) >= startedAt - clockToleranceMilliseconds,
  };
}
