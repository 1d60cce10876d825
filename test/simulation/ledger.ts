/** Records what is observable from outside during a history, and every broken promise. */
import { decodeRoomMessage, isPersistent, loggableName, parseMarker } from "../../src/lib/ownership/room.ts";
import type { PlatformRequest } from "../../src/lib/platform/transport.ts";
import type { QueueMessage } from "../../src/lib/queue.ts";
import { gatewayName } from "../support/markers.ts";
import type { Task } from "./faults.ts";
import type { PlatformObserver, ShownRoom, SimulatedPlatform } from "./simulated-platform.ts";

/** The promises of docs/architecture.md. */
export const promises = [
  "handed-out-twice",
  "room-lost",
  "protected-room-deleted",
  "deleted-too-early",
  "pool-level-wrong",
  "event-lost",
  "secret-exposed",
  "undocumented-response",
  "handed-out-too-early",
] as const;

/**
 * A promise, or one of the invariants behind them. `room-lost-by-one-fault`: a room got lost although no invocation met
 * more than one fault. `deleted-without-message`: garbage collection deleted a room that was not in its queue.
 * `ended-room-kept`: an ended room stays without a recorded reason. `bulk-delete-incomplete`: bulk delete returned 204
 * although a room is left. `repeated-create-differs`: a repeated
 * idempotency key gave another room. `timer-failed`: a timer failed without a fault. `harness`: the simulation itself
 * is broken.
 */
export type PromiseName =
  | (typeof promises)[number]
  | "room-lost-by-one-fault"
  | "deleted-without-message"
  | "ended-room-kept"
  | "bulk-delete-incomplete"
  | "repeated-create-differs"
  | "timer-failed"
  | "harness";

export interface Violation {
  readonly promise: PromiseName;
  readonly text: string;
}

/** How a read of the platform ended: `refused` (403, 404) may last, `unavailable` is temporary. */
export type ReadEnding = "response" | "refused" | "unavailable";

export type Ledger = ReturnType<typeof createLedger>;

const minAgeSeconds = 600;
// Five seconds of the collector, and the second in which a queue's time lies.
const toleranceMilliseconds = 6000;
const livePath = "/api/admin/status/v1/conference/";
const configurationPath = "/api/admin/configuration/v1/conference/";

interface LedgerOptions {
  readonly platform: Pick<SimulatedPlatform, "rooms" | "addedWithoutMarker" | "liveSince">;
  /** The texts of all messages in the pool, including leased ones. */
  readonly poolTexts: () => readonly string[];
  /** The texts of all provisioning requests, including those that are being served. */
  readonly requestTexts: () => readonly string[];
  readonly now: () => number;
  /** By how much the clocks of processes differ at most. */
  readonly skewMilliseconds: number;
  readonly secrets: readonly string[];
}

export function createLedger(options: LedgerOptions) {
  const { platform, poolTexts, requestTexts, now, skewMilliseconds, secrets } = options;
  const seen = {
    violations: [] as Violation[],
    handedOut: new Map<string, Task>(),
    /** The room that the first response to each idempotency key named. */
    roomsByKey: new Map<string, string>(),
    /** Names of the rooms that the gateway provisioned. */
    provisioned: new Set<string>(),
    pooledNames: new Set<string>(),
    /** The last writer of each tag: a claim, or anything else. */
    tagWriters: new Map<string, Task | "other">(),
    /** The time of the last write by a claim. */
    assignedAt: new Map<string, number>(),
    /** Names whose end the event sink accepted, with the time. */
    ended: new Map<string, number>(),
    /** When each name was last put on the deletion queue. */
    queuedForDeletionAt: new Map<string, number>(),
    /** Rooms named in an event, accepted or not. They may be collected even if they are handed out. */
    mayBeDeleted: new Set<string>(),
    /** Rooms that were deleted, by anybody. */
    removed: new Set<string>(),
    /** Who holds the pool message of a room: the last that received it, unless it has put the message back. */
    heldBy: new Map<string, Task>(),
    /** The last claim that wrote to a room. */
    changedBy: new Map<string, Task>(),
    /** The invocation that deleted the pool message of a room. */
    committedBy: new Map<string, Task>(),
    /** The other invocation that held the pool message of a room when bulk delete cleared it. */
    clearedUnder: new Map<string, Task>(),
    /** The last claim that got no response when it deleted the pool message of a room. */
    unansweredDelete: new Map<string, Task>(),
    /**
     * The claim that cannot know that its message was cleared, because the response of its first delete was lost. The
     * only exception to promise 1.
     */
    clearedBeforeCommit: new Map<string, Task>(),
    /** When provisioning finished a room. */
    finishedAt: new Map<string, number>(),
    /**
     * Rooms that were finished after bulk delete began, and whose names it cleared. It may leave them (specification
     * 4.1.12).
     */
    finishedMeanwhile: new Set<string>(),
    /** Rooms that bulk delete deleted although its list did not show that a caller has them. */
    deletedAsFree: new Set<string>(),
    /** The most claims and provisioning runs at once, and the most replacements that waited behind a bulk request. */
    peaks: { claims: 0, provisions: 0, replacements: 0 },
    /** Ended rooms with a recorded reason why they stay, as the log names them. */
    keptForReason: new Set<string>(),
    /** The invocations that handled a room, by its name. */
    handledBy: new Map<string, Task[]>(),
    /** Rooms that were logged as leaked. */
    leaked: new Set<string>(),
  };
  const guestPins = new Set<string>();
  const noteHandled = (name: string, task: Task) =>
    seen.handledBy.set(name, [...(seen.handledBy.get(name) ?? []), task]);

  const violated = (promise: PromiseName, text: string): void => {
    seen.violations.push({ promise, text });
  };

  /** Returns what is told about the changes of a task's calls on the platform. */
  function platformObserver(task: Task): PlatformObserver {
    const by = `#${task.id} ${task.functionName}`;
    return {
      onRead({ path, query }, body): void {
        // Bulk delete has read its first list when it receives from the pool.
        const isList = path.split("?")[0] === configurationPath && query?.["name"] === undefined;
        if (!isList || task.hasReceived) return;
        const { objects } = body as { objects: readonly ShownRoom[] };
        for (const { name, description } of objects) task.listed.set(name, description);
      },
      onCreate(row): void {
        seen.provisioned.add(row.name);
        guestPins.add(row.guest_pin);
        if (!seen.pooledNames.has(row.name))
          violated("room-lost", `${row.name} exists before its name was in the pool (${by})`);
      },
      onUpdate(row, change): void {
        if (!isClaim(task)) {
          if (typeof change["tag"] === "string") seen.tagWriters.set(row.name, "other");
          return;
        }
        seen.assignedAt.set(row.name, now());
        seen.changedBy.set(row.name, task);
        if (seen.heldBy.get(row.name) !== task)
          violated("handed-out-twice", `${by} writes to ${row.name}, whose message it does not hold`);
        const holder = seen.handedOut.get(row.name);
        if (holder && holder !== task)
          violated("handed-out-twice", `${by} writes to ${row.name}, which #${holder.id} has handed out`);
        if (typeof change["tag"] === "string") seen.tagWriters.set(row.name, task);
      },
      onDelete(row): void {
        const { name } = row;
        seen.removed.add(name);
        const isBulk = task.functionName === "bulkDeleteRooms";
        if (!isBulk && task.functionName !== "collectGarbage") return;
        const marker = parseMarker(row.description);
        const isPooled = poolTexts().some((text) => decodeRoomMessage(text).room === name);
        // An event may be about an unmarked room, and a claim can stop after it has written the marker.
        if (isPooled && (isBulk || marker?.state === "pooled"))
          violated("pool-level-wrong", `${by} deletes ${name}, whose name is in the pool`);
        const isOthers = isForeign(row) || (marker !== undefined && marker.gateway !== gatewayName);
        if (isOthers || isPersistent(name))
          violated("protected-room-deleted", `${by} deletes ${name}: ${row.description}`);
        if (isBulk) checkDeletedInBulk(row, task, by);
        else checkCollected(row, task, by);
      },
    };
  }

  function checkDeletedInBulk({ name }: ShownRoom, task: Task, by: string): void {
    const description = task.listed.get(name);
    // A list can miss a room that moves to another page; then the time of its claim decides, which is in its marker.
    const wasFree =
      description === undefined
        ? (seen.changedBy.get(name)?.changeSentAt ?? 0) >= task.startedAt
        : parseMarker(description)?.state !== "assigned";
    if (!wasFree) return;
    seen.deletedAsFree.add(name);
    if (seen.handedOut.has(name) && !seen.clearedBeforeCommit.has(name))
      violated("handed-out-twice", `${by} deletes ${name}, which was handed out after it was listed`);
  }

  function checkCollected({ name, description }: ShownRoom, task: Task, by: string): void {
    const messages = task.deletionMessages.get(name) ?? [];
    if (messages.length === 0)
      return violated("deleted-without-message", `${by} deletes ${name} without having received its message`);
    const insertedAt = Math.max(...messages.map((message) => message.insertedAt));
    const ageSeconds = (now() - insertedAt) / 1000;
    if (ageSeconds < minAgeSeconds)
      violated("deleted-too-early", `${by} deletes ${name} ${ageSeconds} s after its message was enqueued`);
    // Between the last look-up and the delete, only a room without a marker can still be claimed.
    const wasMarked = !platform.addedWithoutMarker.has(name);
    const seenAt = wasMarked ? Number.POSITIVE_INFINITY : (task.lookUps.get(name) ?? now());
    // After a late change of a claim that gave up, nobody holds the room.
    const assigned = seen.handedOut.has(name) ? (seen.assignedAt.get(name) ?? 0) : 0;
    const isAssignedLater = assigned > insertedAt + toleranceMilliseconds + skewMilliseconds;
    if (
      isAssignedLater &&
      assigned < seenAt &&
      !messages.some(({ claimId }) => isGivenUp(description, claimId))
    )
      violated("deleted-too-early", `${by} deletes ${name}, assigned after its message was enqueued`);
    const check = task.liveChecks.get(name) ?? "missing";
    const liveSince = platform.liveSince().get(name) ?? Number.POSITIVE_INFINITY;
    if (check === "missing" || check === "unavailable" || (check !== "refused" && liveSince < check))
      violated("deleted-too-early", `${by} deletes ${name}, which may be live (live check: ${check})`);
    if (seen.handedOut.has(name) && !seen.mayBeDeleted.has(name) && assigned < seenAt)
      violated("handed-out-twice", `${by} deletes ${name}, which is handed out and has not ended`);
  }

  function noteReplacements(requests: readonly string[]): void {
    const reasons = requests.map((text) => JSON.parse(text).reason);
    const replacements = reasons.filter((reason) => reason === "claimed").length;
    if (reasons.includes("bulk")) seen.peaks.replacements = Math.max(seen.peaks.replacements, replacements);
  }

  return {
    ...seen,
    skewMilliseconds,
    violated,
    platformObserver,

    onPut(queue: string, text: string, task: Task): void {
      const { room } = decodeRoomMessage(text);
      if (queue === "pool") {
        if (seen.pooledNames.has(room))
          violated("handed-out-twice", `#${task.id} puts ${room} into the pool a second time`);
        seen.pooledNames.add(room);
        noteHandled(room, task);
      }
      if (queue === "deletion") seen.queuedForDeletionAt.set(room, now());
      if (queue === "provisioning") noteReplacements([...requestTexts(), text]);
    },

    onMessageDeleted(queue: string, text: string, task: Task): void {
      const { room, queuedBy } = decodeRoomMessage(text);
      if (queue === "pool") seen.committedBy.set(room, task);
      // An operator's message is in the gateway's name.
      if (queue !== "deletion" || queuedBy !== undefined) return;
      const isLeft = platform.rooms().some(({ name }) => name === room);
      if (isLeft && !task.skipped.has(loggableName(room)))
        violated(
          "event-lost",
          `#${task.id} ${task.functionName} forgets the end of ${room} without a reason`,
        );
    },

    /** A call of storage had no response. `text` is that of its message. */
    onUnanswered(queue: string, operation: string, text: string, task: Task): void {
      if (queue === "pool" && operation === "delete")
        seen.unansweredDelete.set(decodeRoomMessage(text).room, task);
    },

    onCleared(queue: string, texts: readonly string[], task: Task): void {
      if (queue !== "pool") return;
      for (const text of texts) {
        const { room } = decodeRoomMessage(text);
        const holder = seen.heldBy.get(room);
        if (holder && holder !== task) seen.clearedUnder.set(room, holder);
        if ((seen.finishedAt.get(room) ?? 0) > task.startedAt) seen.finishedMeanwhile.add(room);
      }
    },

    /** A message was to be deleted and did not exist. */
    onMessageGone(queue: string, text: string, task: Task): void {
      if (queue !== "pool") return;
      const { room } = decodeRoomMessage(text);
      const wasCleared = seen.clearedUnder.get(room) === task;
      const hadNoResponse = seen.unansweredDelete.get(room) === task;
      if (wasCleared && hadNoResponse) seen.clearedBeforeCommit.set(room, task);
    },

    /** A message became invisible for some time, or visible. */
    onPostponed(queue: string, text: string, task: Task): void {
      if (queue !== "pool") return;
      const { room } = decodeRoomMessage(text);
      if (task.functionName === "provisionRoom") seen.finishedAt.set(room, now());
      if (isClaim(task) && seen.changedBy.get(room) === task)
        violated("handed-out-twice", `#${task.id} puts ${room} back into the pool, which it has changed`);
      seen.heldBy.delete(room);
    },

    onReceive(queue: string, messages: readonly QueueMessage[], task: Task): void {
      if (queue === "pool") {
        task.hasReceived = true;
        for (const { text } of messages) {
          const { room } = decodeRoomMessage(text);
          noteHandled(room, task);
          seen.heldBy.set(room, task);
        }
      }
      if (queue !== "deletion") return;
      for (const { text, ageSeconds } of messages) {
        const { room, claimId } = decodeRoomMessage(text);
        const known = task.deletionMessages.get(room) ?? [];
        task.deletionMessages.set(room, [...known, { insertedAt: now() - ageSeconds * 1000, claimId }]);
      }
    },

    onStart(running: ReadonlySet<Task>): void {
      const tasks = [...running];
      const provisions = tasks.filter(({ functionName }) => functionName === "provisionRoom");
      seen.peaks.claims = Math.max(seen.peaks.claims, tasks.filter(isClaim).length);
      seen.peaks.provisions = Math.max(seen.peaks.provisions, provisions.length);
    },

    /** Records a platform call of a task. Call the result with how a read ended. */
    onPlatformCall({ method, path, query }: PlatformRequest, task: Task): (ending: ReadEnding) => void {
      if (method === "PATCH") task.changeSentAt = now();
      if (method !== "GET") return () => undefined;
      if (path === configurationPath && query?.["name"] === undefined)
        task.firstListAt = Math.min(task.firstListAt, now());
      const name = query?.["name"];
      if (path === configurationPath && typeof name === "string") task.lookUps.set(name, now());
      if (path !== livePath || typeof name !== "string") return () => undefined;
      const checkedAt = now();
      return (ending) => {
        if (ending === "response" && platform.liveSince().has(name))
          seen.keptForReason.add(loggableName(name));
        task.liveChecks.set(name, ending === "response" ? checkedAt : ending);
      };
    },

    onLog(line: string, task: Task): void {
      if (line.includes('"room-leaked"') || line.includes('"create-record-unknown"'))
        seen.leaked.add(JSON.parse(line).room);
      const leak =
        secrets.find((secret) => line.includes(secret)) ??
        line.match(/\d{12}/g)?.find((digits) => guestPins.has(digits));
      if (leak !== undefined)
        violated("secret-exposed", `#${task.id} ${task.functionName} logs a secret: ${line}`);
      if (line.includes('"deletion-skipped"')) {
        const { room, reason } = JSON.parse(line);
        if (["live", "assigned-later", "pooled"].includes(reason)) seen.keptForReason.add(room);
        if (reason !== "busy") task.skipped.add(room);
      }
    },

    /** The gateway's rooms on the platform: those with its marker, and those that it provisioned. */
    ourRooms: () =>
      platform
        .rooms()
        .filter(
          ({ name, description }) =>
            seen.provisioned.has(name) || parseMarker(description)?.gateway === gatewayName,
        ),
  };
}

/** The platform's times have no zone. */
export const createdAt = ({ creation_time: time }: ShownRoom) => Date.parse(`${time}Z`);

/** Whether the claim that assigned a room has given it up. */
function isGivenUp(description: string, claimId: string | undefined): boolean {
  return claimId !== undefined && parseMarker(description)?.messageId === claimId;
}

/** Whether an invocation takes a room out of the pool for a caller or for the operator. */
export function isClaim({ functionName }: Task): boolean {
  return ["createRoomFromQueue", "retireRoom"].includes(functionName);
}

/** Whether a conference is foreign: another service type, or no marker and no alias equal to its name. */
function isForeign({ name, description, service_type: serviceType, aliases }: ShownRoom): boolean {
  if (serviceType !== "conference") return true;
  const isNamed = aliases.length === 0 || aliases.some(({ alias }) => alias === name);
  return !isNamed && parseMarker(description) === undefined;
}
