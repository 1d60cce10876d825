/** Bulk delete: lists the platform, empties the pool, then deletes every room of ours except the persistent ones. */
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import type { Clock, Queue } from "../ports.ts";
import { queueForDeletion } from "./deletion-queue.ts";
import { decodeRoomMessage, isPersistent, isRoom, parseMarker } from "./room.ts";

/** Deletes all rooms. */
export interface BulkDeletion {
  /**
   * Deletes the gateway's rooms that are on the platform when it begins, and those whose name is in the pool, but
   * no room that is handed out after it began. Throws `bulk-delete-incomplete` if some remain after 150 s, and
   * PlatformError or QueueError, having changed nothing, if the platform cannot be listed.
   */
  deleteAll(log: Log): Promise<void>;
}

/** The dependencies of bulk delete. */
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

/** A room to delete. Without an ID its name was in the pool, but the list did not have it. */
interface RoomToDelete {
  readonly name: string;
  readonly id: number | undefined;
  /** Whether a claim may still hold the room's message: it was listed as pooled, and its name was not received. */
  readonly mayBeClaimed: boolean;
}

/** The progress of one call of `deleteAll`. */
interface Run {
  readonly log: Log;
  readonly startedAt: number;
  readonly startBefore: number;
  /** The names that the pool held. No claim can commit them any more. */
  readonly received: Set<string>;
  /** Rooms that were handed out after the run began. */
  readonly kept: Set<string>;
}

/** Creates bulk delete. One budget of 150 s covers everything that it does. */
export function createBulkDeletion(options: BulkDeletionOptions): BulkDeletion {
  const { pool, deletion, provisioning, conferences, clock } = options;

  async function deleteAll(log: Log): Promise<void> {
    const startedAt = clock.now();
    const startBefore = startedAt + maxSeconds * 1000;
    const run: Run = { log, startedAt, startBefore, received: new Set(), kept: new Set() };
    // First, so that an outage or a wrong password leaves the pool as it is.
    const listed = await conferences.list({ startBefore });
    await provisioning.clear();
    await emptyPool(listed, run);
    const rooms = selectRooms(
      listed.filter(({ description }) => !isAssignedSince(description, startedAt)),
      run.received,
    );
    const emptiedAt = clock.now();
    await deleteInPasses(rooms, run);
    const missed = await listMissed(emptiedAt, run);
    await deleteInPasses(selectRooms(missed, new Set()), run);
    log.info("bulk-deleted", { rooms: rooms.length + missed.length - run.kept.size });
  }

  /**
   * Removes all names from the pool, including those that claims hold, whose commits then fail. The next bulk
   * delete finds a room by its marker; a room without one is queued for deletion before its name is removed.
   */
  async function emptyPool(listed: readonly ConferenceRow[], { startBefore, received }: Run): Promise<void> {
    const marked = new Set(listed.filter(isMarked).map(({ name }) => name));
    for (;;) {
      const messages = await pool.receive(maxPerReceive, leaseSeconds);
      if (messages.length === 0) break;
      const names = messages.map(({ text }) => decodeRoomMessage(text).room);
      const unmarked = names.filter((name) => !marked.has(name) && !isPersistent(name));
      await forEachParallel(unmarked, async (room) =>
        queueForDeletion(deletion, { room, reason: "bulk-delete" }),
      );
      for (const name of names) received.add(name);
      // The names return to the pool when their leases end.
      if (clock.now() >= startBefore)
        throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 300 });
    }
    await pool.clear();
  }

  /**
   * Lists once more and returns what the first list missed: rooms on a page that shifted while it was read, and pooled
   * rooms whose name was still invisible, so that it could be cleared but not received.
   */
  async function listMissed(
    emptiedAt: number,
    { startedAt, startBefore, kept }: Run,
  ): Promise<ConferenceRow[]> {
    return (await conferences.list({ startBefore })).filter(({ name, description }) => {
      const marker = parseMarker(description);
      const isPooledLater = marker?.state === "pooled" && Date.parse(marker.since) >= emptiedAt;
      return (
        marker !== undefined && !isPooledLater && !isAssignedSince(description, startedAt) && !kept.has(name)
      );
    });
  }

  /** Throws `bulk-delete-incomplete` if some rooms remain. */
  async function deleteInPasses(rooms: readonly RoomToDelete[], run: Run): Promise<void> {
    let remaining = rooms;
    let failure: unknown;
    for (let pass = 1; pass <= maxPasses && remaining.length > 0 && clock.now() < run.startBefore; pass++) {
      if (pass > 1) await clock.sleep(pauseMilliseconds);
      const failed: RoomToDelete[] = [];
      // A few at a time: other background calls, such as a caller's list, would otherwise wait behind all of them.
      await forEachParallel(remaining, async (room) => {
        await deleteRoom(room, run).catch((error: unknown) => {
          failed.push(room);
          failure = error;
        });
      });
      remaining = failed;
    }
    if (remaining.length > 0)
      throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 30, cause: failure });
  }

  async function deleteRoom(room: RoomToDelete, { log, startBefore, kept }: Run): Promise<void> {
    const { name } = room;
    const current =
      room.id === undefined || room.mayBeClaimed
        ? await conferences.findByName(name, { startBefore })
        : undefined;
    if (room.mayBeClaimed && parseMarker(current?.description)?.state === "assigned") {
      kept.add(name);
      log.info("room-kept", { room: name, reason: "assigned-later" });
      return;
    }
    const id = room.id ?? (current && isRoom(current) ? current.id : undefined);
    const wasThere = id !== undefined && (await conferences.delete(id, { startBefore }));
    log.info("room-deleted", { room: name, wasThere });
  }

  return { deleteAll };
}

/** Returns whether the room was handed out after this time, in clock milliseconds. */
function isAssignedSince(description: string | null | undefined, time: number): boolean {
  const marker = parseMarker(description);
  return marker?.state === "assigned" && Date.parse(marker.since) >= time;
}

const isMarked = ({ description }: ConferenceRow) => parseMarker(description) !== undefined;

/** Returns rooms with our marker, and rooms whose name was in the pool; persistent rooms are never among them. */
function selectRooms(listed: readonly ConferenceRow[], received: ReadonlySet<string>): RoomToDelete[] {
  const ours = listed.filter((row) => isMarked(row) || (received.has(row.name) && isRoom(row)));
  const rooms = ours.map(({ name, id, description }) => ({
    name,
    id,
    mayBeClaimed: parseMarker(description)?.state === "pooled" && !received.has(name),
  }));
  const listedNames = new Set(listed.map(({ name }) => name));
  const unlisted = [...received].filter((name) => !listedNames.has(name));
  return [...rooms, ...unlisted.map((name) => ({ name, id: undefined, mayBeClaimed: false }))].filter(
    ({ name }) => !isPersistent(name),
  );
}
