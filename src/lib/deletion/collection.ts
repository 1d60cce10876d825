/** Garbage collection: deletes the rooms whose conference has ended. */
import type { Log } from "../log.ts";
import {
  groupByRoom,
  queueForDeletion,
  type RoomMessages,
  receiveUpTo,
} from "../ownership/deletion-queue.ts";
import {
  encodeRoomMessage,
  isPersistent,
  loggableName,
  markedRooms,
  type OwnershipRules,
  parseMarker,
} from "../ownership/room.ts";
import { forEachParallel } from "../parallel.ts";
import { PlatformBusyError, type PlatformClient } from "../platform/client.ts";
import type { Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { PlatformStatus } from "../platform/status-api.ts";
import type { Clock } from "../ports.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../queue.ts";
import { maximumAge, requestOf } from "./decisions.ts";
import { createRoomDeletion } from "./room-deletion.ts";

export type GarbageCollection = ReturnType<typeof createGarbageCollection>;

export interface GarbageCollectionOptions extends OwnershipRules {
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "list" | "delete">;
  readonly status: Pick<PlatformStatus, "isLive" | "liveConferences">;
  readonly takeSlot: PlatformClient["background"]["takeSlot"];
  readonly clock: Clock;
  /** The maximum number of messages per run. */
  readonly maxMessages: number;
  readonly minAgeSeconds: number;
  /** The maximum age of an assigned room without a conference. Undefined if there is none. */
  readonly maxAgeHours: number | undefined;
}

const runIntervalSeconds = 600;
// The next run receives the messages that this one leases and does not settle.
const leaseSeconds = 540;
// No call to the platform starts later: the leases end soon afterwards, and then the host's timeout.
const maxRunSeconds = 400;
// The messages about one room are usually received together, and receiving them leaves time for the rest of the run.
const maxMessagesAtOnce = 256;
const maxRoomsAtOnce = 3;
// The time counts from the start of a run. A metrics run then sees the message before the next run receives it.
const retrySeconds = 270;
const maxFailures = 36;

interface Run {
  readonly log: Log;
  readonly startedAt: number;
  readonly startBefore: number;
  readonly failures: unknown[];
  readonly handled: Set<string>;
  /** How many rooms without a marker this run has deleted. */
  unmarkedDeleted: number;
}

/** Creates the collector. Its runs may overlap, because each leases its messages. */
export function createGarbageCollection(options: GarbageCollectionOptions) {
  const { deletion, conferences, status, clock, minAgeSeconds, maxMessages, maxAgeHours } = options;
  const deleteRoom = createRoomDeletion(options);

  /** One run. Throws QueueError if messages could not be received, and AggregateError if some rooms failed. */
  async function collect(log: Log): Promise<void> {
    const startedAt = clock.now();
    const startBefore = startedAt + maxRunSeconds * 1000;
    const run: Run = {
      log,
      startedAt,
      startBefore,
      failures: [],
      handled: new Set(),
      unmarkedDeleted: 0,
    };
    let capacity = maxMessages;
    let isEmpty = false;
    while (!isEmpty && capacity > 0 && clock.now() < startBefore) {
      const count = Math.min(capacity, maxMessagesAtOnce);
      const lease = Math.ceil(leaseSeconds - (clock.now() - startedAt) / 1000);
      const messages = await receiveUpTo(deletion, count, lease);
      isEmpty = messages.length < count;
      capacity -= messages.length;
      // A message that became visible again during the run is left to the next one.
      const groups = groupByRoom(messages).filter(({ room }) => !run.handled.has(room));
      const overdueLast = groups.toSorted((one, other) => overdueRank(one) - overdueRank(other));
      await forEachParallel(overdueLast, async (group) => collectRoom(group, run), maxRoomsAtOnce);
    }
    await queueOverdue(capacity, run).catch((error: unknown) => {
      log.error("overdue-rooms-not-queued", {}, error);
      run.failures.push(error);
    });
    if (run.failures.length > 0)
      throw new AggregateError(run.failures, `${run.failures.length} rooms could not be collected`);
  }

  /** Handles one room, unless the run is over: its messages return when their lease ends. Throws nothing. */
  async function collectRoom(group: RoomMessages, run: Run): Promise<void> {
    if (clock.now() >= run.startBefore) return;
    run.handled.add(group.room);
    try {
      await handle(group, run);
    } catch (error) {
      const room = loggableName(group.room);
      if (error instanceof PlatformBusyError) {
        run.log.info("deletion-skipped", { room, reason: "busy" });
      } else {
        run.log.error("deletion-failed", { room, dequeueCount: group.messages[0].dequeueCount }, error);
        run.failures.push(error);
      }
      // The next run queues an overdue room again, so rooms that cannot be deleted do not fill the queue.
      if (requestOf(group).isOverdue) await remove(group.messages).catch(() => undefined);
      else await postpone(group, run, mayBeOfRoom(error)).catch(() => undefined);
    }
  }

  /** Deletes the room, keeps it, or postpones it. */
  async function handle(group: RoomMessages, run: Run): Promise<void> {
    const { log, startBefore } = run;
    const { room, messages } = group;
    const [youngest] = messages;
    if (youngest.ageSeconds < minAgeSeconds) {
      log.info("deletion-skipped", { room: loggableName(room), reason: "young" });
      const seconds = Math.ceil(minAgeSeconds - youngest.ageSeconds);
      // All together, because an older one may say who gave the room up.
      for (const message of messages) await deletion.setInvisible(message, seconds);
      return;
    }
    const request = requestOf(group);
    const { action, reason, row } = await deleteRoom(request, { log, startBefore });
    if (action !== "delete") log.info("deletion-skipped", { room: loggableName(room), reason });
    else if (parseMarker(row?.description) === undefined && run.unmarkedDeleted++ === 0)
      log.warn("unmarked-room-deleted", { room: loggableName(room) });
    // The next run queues an overdue room again.
    if (action === "postpone" && !request.isOverdue) await postpone(group, run, reason === "vanished");
    else await remove(messages);
  }

  /** The youngest message comes first: if its lease was lost, another one may be the room's last. */
  async function remove(messages: readonly QueueMessage[]): Promise<void> {
    for (const message of messages) {
      const outcome = await deleteConfirmed(deletion, message);
      if (outcome === "unknown") throw new Error("the deletion message could not be removed");
    }
  }

  /**
   * Makes the messages visible before the next run, all together. After each failure that may be the room's own, they
   * wait for one run more, up to six hours, so that it does not use up every run. If this fails, the leases end, and
   * the next run receives the messages. Throws QueueError.
   */
  async function postpone({ messages }: RoomMessages, { startedAt }: Run, isOfRoom: boolean): Promise<void> {
    const earlierFailures = Math.max(...messages.map(({ content }) => content.failures ?? 0));
    const failures = Math.min(earlierFailures + 1, maxFailures);
    const seconds = retrySeconds + (isOfRoom ? failures - 1 : 0) * runIntervalSeconds;
    const remaining = Math.floor(seconds - (clock.now() - startedAt) / 1000);
    for (const { content, ...message } of messages) {
      const text = isOfRoom ? encodeRoomMessage({ ...content, failures }) : undefined;
      await deletion.setInvisible(message, Math.max(0, remaining), text);
    }
  }

  /** Queues assigned rooms past their maximum age. A later run deletes them unless their conference is live then. */
  async function queueOverdue(maxCount: number, run: Run): Promise<void> {
    const { log, startedAt, startBefore, handled } = run;
    if (maxAgeHours === undefined || clock.now() >= startBefore) return;
    const assignedBefore = startedAt - maxAgeHours * 3600_000;
    const overdue = markedRooms(await conferences.list({ startBefore }), options.gatewayName)
      .map(({ name, marker }) => ({ name, ...marker, assignedAt: Date.parse(marker.since) }))
      .filter(({ state, assignedAt }) => state === "assigned" && assignedAt <= assignedBefore)
      .filter(({ name }) => !isPersistent(name) && !handled.has(name));
    if (overdue.length === 0) return;
    const live = await status.liveConferences({ startBefore }).catch((error: unknown) => {
      log.warn("live-check-unavailable", {}, error);
    });
    if (!live) return;
    const due = overdue.filter(({ name }) => !live.has(name));
    if (due.length > maxCount) log.warn("overdue-rooms-postponed", { count: due.length - maxCount });
    await forEachParallel(due.slice(0, maxCount), async ({ name: room, messageId, assignedAt }) => {
      await queueForDeletion(deletion, { room, claimId: messageId, reason: maximumAge });
      const ageHours = Math.floor((startedAt - assignedAt) / 3600_000);
      log.info("room-queued-for-deletion", { room, reason: maximumAge, ageHours });
    });
  }

  return { collect };
}

const overdueRank = (group: RoomMessages) => Number(requestOf(group).isOverdue);

/** Returns whether the cause of a failure may be the room: it was refused, or its call timed out. */
function mayBeOfRoom(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  const { code, outcome } = error;
  return code === "platform-rejected" || (code === "platform-timeout" && outcome === "unknown");
}
