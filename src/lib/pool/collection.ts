/** Garbage collection: deletes the rooms whose conference has ended, and nothing else. */
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { PlatformStatus } from "../platform/status.ts";
import { type Clock, deleteConfirmed, type Queue, type QueueMessage } from "../ports.ts";
import {
  concernsEveryRoom,
  decisions,
  decisiveMessage,
  isOverdue,
  maximumAge,
  type RoomState,
  senderOf,
  stateOf,
} from "./collection-decisions.ts";
import { groupByRoom, queueForDeletion, type RoomMessages, receiveUpTo } from "./deletion-queue.ts";
import { isPersistent, loggableName, markedRooms, parseMarker, type UnmarkedRooms } from "./room.ts";

/** Collects the rooms that are due. */
export interface GarbageCollection {
  /** One run. Throws PlatformError or QueueError when nothing could be done, AggregateError when some rooms failed. */
  collect(log: Log): Promise<void>;
}

/** The collector's dependencies and limits. */
export interface GarbageCollectionOptions {
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "list" | "delete">;
  readonly status: Pick<PlatformStatus, "isLive" | "liveConferences">;
  readonly clock: Clock;
  readonly maxMessages: number;
  readonly minAgeSeconds: number;
  /** The maximum age of an assigned room without a conference. Undefined if there is none. */
  readonly maxAgeHours: number | undefined;
  readonly unmarkedRooms: UnmarkedRooms;
}

// Shorter than the ten minutes between runs, so the next run receives the messages of one that crashed.
const leaseSeconds = 540;
const maxRetrySeconds = 6 * 3600;
// Shorter than the lease and the host's timeout. Messages that are not begun by then become visible when their lease
// ends.
const maxRunSeconds = 400;
// A room that is handed out after its last look-up must not be deleted.
const maxDeleteDelaySeconds = 5;

interface Run {
  readonly log: Log;
  readonly startBefore: number;
  /** How many rooms without our marker this run has deleted. */
  unmarkedRooms: number;
}

type LoggableRoom = RoomMessages & { readonly logName: string };

/** Creates the collector. Its runs may overlap, because each leases its messages. */
export function createGarbageCollection(options: GarbageCollectionOptions): GarbageCollection {
  const { deletion, conferences, status, clock, minAgeSeconds, maxMessages, maxAgeHours, unmarkedRooms } =
    options;

  async function collect(log: Log): Promise<void> {
    const run: Run = { log, startBefore: clock.now() + maxRunSeconds * 1000, unmarkedRooms: 0 };
    const messages = await receiveUpTo(deletion, maxMessages, leaseSeconds);
    if (messages.length === 0 && maxAgeHours === undefined) return;
    const rooms = groupByRoom(messages).toSorted(
      (one, other) => Number(isOverdue(one)) - Number(isOverdue(other)),
    );
    const rows = await listOrPostpone(messages, run);
    const listed = new Map(rows.map((row) => [row.name, row]));
    const failures: unknown[] = [];
    for (const room of rooms) {
      if (clock.now() >= run.startBefore) {
        log.warn("collection-cut-short", { messages: messages.length });
        break;
      }
      await handle(room, listed.get(room.room), run).catch(async (error: unknown) => {
        const [{ dequeueCount }] = room.messages;
        log.error(
          "deletion-failed",
          { room: loggableName(room.room, listed.get(room.room)), dequeueCount },
          error,
        );
        failures.push(error);
        for (const message of room.messages)
          await postpone(message, concernsEveryRoom(error) ? 1 : message.dequeueCount);
      });
    }
    const handled = new Set(rooms.map(({ room }) => room));
    const unhandled = rows.filter(({ name }) => !handled.has(name));
    await queueOverdue(unhandled, maxMessages - messages.length, log).catch((error: unknown) => {
      log.error("overdue-rooms-not-queued", {}, error);
      failures.push(error);
    });
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} rooms could not be collected`);
  }

  async function listOrPostpone(
    messages: readonly QueueMessage[],
    { startBefore }: Run,
  ): Promise<ConferenceRow[]> {
    try {
      return await conferences.list({ startBefore });
    } catch (error) {
      // The platform as a whole failed, so no room waits longer than until the next run.
      for (const message of messages) await postpone(message, 1);
      throw error;
    }
  }

  /** Handles one room: deletes it, keeps it, or postpones it until its message is old enough. */
  async function handle(messages: RoomMessages, listed: ConferenceRow | undefined, run: Run): Promise<void> {
    // Pages shift while rooms are deleted, so absence from the list alone proves nothing.
    const row = listed ?? (isPersistent(messages.room) ? undefined : await find(messages, run));
    const room = { ...messages, logName: loggableName(messages.room, row) };
    const state = stateOf(room, row, unmarkedRooms);
    if (decisions[state][senderOf(room)] === "keep") return removeAll(room, state, run);
    const decisive = decisiveMessage(room, row);
    if (decisive.ageSeconds < minAgeSeconds) {
      run.log.info("deletion-skipped", { room: room.logName, reason: "young" });
      await deletion.setInvisible(decisive, Math.ceil(minAgeSeconds - decisive.ageSeconds));
      return removeOthers(room, decisive, run);
    }
    if (await isLive(room, run)) return removeAll(room, "live", run);
    // The list can be minutes old: the room may have been handed out since. This look-up is the last one.
    const lookedUpAt = clock.now();
    const current = await find(room, run);
    const currentState = stateOf(room, current, unmarkedRooms);
    if (!current || decisions[currentState][senderOf(room)] === "keep")
      return removeAll(room, currentState, run);
    await deleteRoom(room, current, lookedUpAt, run);
    await removeAll(room, undefined, run);
  }

  async function find({ room }: RoomMessages, { startBefore }: Run): Promise<ConferenceRow | undefined> {
    return conferences.findByName(room, { startBefore });
  }

  async function isLive(room: LoggableRoom, { log }: Run): Promise<boolean> {
    try {
      return await status.isLive(room.room);
    } catch (error) {
      // Such a failure is temporary. A refusal may last, so the specification's rule applies unchanged, except to a
      // room that is deleted only for its age.
      const isLasting =
        error instanceof PlatformError && error.outcome === "refused" && error.platformStatus !== 429;
      if (!isLasting || isOverdue(room)) throw error;
      log.warn("live-check-unavailable", { room: room.logName }, error);
      return false;
    }
  }

  async function deleteRoom(
    { room, messages }: RoomMessages,
    row: ConferenceRow,
    lookedUpAt: number,
    run: Run,
  ) {
    const startBefore = lookedUpAt + maxDeleteDelaySeconds * 1000;
    const wasThere = await conferences.delete(row.id, { startBefore }).catch((error: unknown) => {
      // The cause may be this room, which must not use up every run.
      const isTimeout = error instanceof PlatformError && error.code === "platform-timeout";
      if (isTimeout && error.outcome === "unknown")
        throw new Error("the deletion timed out", { cause: error });
      throw error;
    });
    const { reason, operator } = messages.find(({ content }) => content.queuedBy)?.content ?? {};
    run.log.info("room-deleted", {
      room,
      wasThere,
      ...(reason && { reason }),
      ...(operator && { operator }),
    });
    if (parseMarker(row.description) === undefined && run.unmarkedRooms++ === 0)
      run.log.warn("unmarked-room-deleted", { room });
  }

  /** Deletes the messages of a room that was deleted, or that stays for this reason. */
  async function removeAll(
    room: LoggableRoom,
    reason: RoomState | "live" | undefined,
    run: Run,
  ): Promise<void> {
    const [youngest] = room.messages;
    if (reason) run.log.info("deletion-skipped", { room: room.logName, reason });
    await removeConfirmed(youngest);
    await removeOthers(room, youngest, run);
  }

  /** Only after the first one: if its lease was lost, another message may be the room's last. */
  async function removeOthers(
    { logName, messages }: LoggableRoom,
    first: QueueMessage,
    run: Run,
  ): Promise<void> {
    for (const message of messages.filter((other) => other !== first)) {
      await removeConfirmed(message);
      run.log.info("deletion-skipped", { room: logName, reason: "repeated" });
    }
  }

  async function removeConfirmed(message: QueueMessage): Promise<void> {
    const outcome = await deleteConfirmed(deletion, message);
    if (outcome === "unknown") throw new Error("the deletion message could not be removed");
  }

  /** Waits longer after each attempt, up to six hours, so one faulty room does not use up every run. */
  async function postpone(message: QueueMessage, attempts: number): Promise<void> {
    const seconds = Math.min(600 * attempts, maxRetrySeconds);
    // If this fails too, the lease ends and the next run receives the message.
    await deletion.setInvisible(message, seconds).catch(() => undefined);
  }

  /** Queues assigned rooms past their maximum age. A later run deletes them unless their conference is live then. */
  async function queueOverdue(rows: readonly ConferenceRow[], maxCount: number, log: Log): Promise<void> {
    if (maxAgeHours === undefined) return;
    const assignedBefore = clock.now() - maxAgeHours * 3600_000;
    const overdue = markedRooms(rows)
      .map(({ name, marker }) => ({ name, ...marker, assignedAt: Date.parse(marker.since) }))
      .filter(
        ({ name, state, assignedAt }) =>
          state === "assigned" && assignedAt <= assignedBefore && !isPersistent(name),
      )
      .toSorted((one, other) => one.assignedAt - other.assignedAt);
    if (overdue.length === 0) return;
    const live = await status.liveConferences().catch((error: unknown) => {
      log.warn("live-check-unavailable", {}, error);
    });
    if (!live) return;
    const due = overdue.filter(({ name }) => !live.has(name));
    if (due.length > maxCount) log.warn("overdue-rooms-postponed", { count: due.length - maxCount });
    await forEachParallel(due.slice(0, maxCount), async ({ name: room, messageId, assignedAt }) => {
      await queueForDeletion(deletion, { room, claimId: messageId, reason: maximumAge });
      const ageHours = Math.floor((clock.now() - assignedAt) / 3600_000);
      log.info("room-queued-for-deletion", { room, reason: maximumAge, ageHours });
    });
  }

  return { collect };
}
