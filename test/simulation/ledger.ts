/** What was seen from outside while a history ran, and every promise that was seen broken. */

import type { MetricsRow } from "../../src/lib/metrics/row.ts";
import type { PlatformCall } from "../../src/lib/platform/client.ts";
import type { QueueMessage } from "../../src/lib/queues/queue.ts";
import { parseMarker } from "../../src/lib/rooms/marker.ts";
import { isPersistent } from "../../src/lib/rooms/ownership.ts";
import type { ConferenceRecord, ConferenceTable, TableObserver } from "./conference-table.ts";
import type { Task } from "./task.ts";

/** `G…` are the guarantees of the design, `I…` the invariants beneath them. */
export interface Violation {
  readonly promise: string;
  readonly text: string;
}

export interface HandOut {
  readonly task: Task;
  readonly tag: string | undefined;
}

export type Ledger = ReturnType<typeof createLedger>;

const minAgeMilliseconds = 600_000;
const livePath = "/api/admin/status/v1/conference/";
const configurationPath = "/api/admin/configuration/v1/conference/";

export function createLedger(table: ConferenceTable, now: () => number, secrets: readonly string[]) {
  const violations: Violation[] = [];
  const handedOut = new Map<string, HandOut>();
  /** Rooms that a function made, by name. */
  const made = new Set<string>();
  const pooledNames = new Set<string>();
  /** Who wrote the tag last: a claim, or anything else. */
  const tagWriters = new Map<string, Task | "other">();
  /** When a claim last wrote to a room. */
  const assignedAt = new Map<string, number>();
  /** Names whose end the sink has accepted, and when. */
  const ended = new Map<string, number>();
  /** Rooms that an event, accepted or not, or a bulk delete has named: handed out or not, they may be collected. */
  const dueForDeletion = new Set<string>();
  /** Rooms that an operator has changed directly, so that marker and tag say nothing any more. */
  const tampered = new Set<string>();
  /** Rooms that are no more on the platform, whoever deleted them. */
  const removed = new Set<string>();
  /** Rooms that bulk delete had deleted before a claim deleted their message. */
  const goneBeforeCommit = new Set<string>();
  const deletedInBulk = new Set<string>();
  const guestPins = new Set<string>();
  const metricsRows: MetricsRow[] = [];
  let discards = 0;
  const recordedReasons = new Set<string>();

  /** Invocations that had a room in their hands, by its name. */
  const touches = new Map<string, Task[]>();
  const touched = (name: string, task: Task) => touches.set(name, [...(touches.get(name) ?? []), task]);
  /** Rooms whose loss was logged. */
  const leaked = new Set<string>();

  const violated = (promise: string, text: string): void => {
    violations.push({ promise, text });
  };

  function tableObserver(task: Task): TableObserver {
    const by = `#${task.id} ${task.functionName}`;
    return {
      onCreate(row) {
        made.add(row.name);
        guestPins.add(String(row.fields["guest_pin"]));
        if (!pooledNames.has(row.name))
          violated("G2", `${row.name} exists before its name was in the pool (${by})`);
      },
      onUpdate(row, change) {
        if (!isClaim(task)) {
          if (typeof change["tag"] === "string") tagWriters.set(row.name, "other");
          return;
        }
        assignedAt.set(row.name, now());
        const holder = handedOut.get(row.name);
        if (holder && holder.task !== task)
          violated("G1", `${by} writes to ${row.name}, which #${holder.task.id} has handed out`);
        if (typeof change["tag"] === "string") tagWriters.set(row.name, task);
      },
      onDelete(row) {
        removed.add(row.name);
        const isBulk = task.functionName === "bulkDeleteRooms";
        // The name of a room made since then may be in the pool: only those before are taken out of it.
        if (isBulk && row.createdAt < task.startedAt) deletedInBulk.add(row.name);
        const isAutomatic = task.functionName === "collectGarbage" || task.functionName === "bulkDeleteRooms";
        if (isAutomatic && isPersistent(row.name)) violated("G3", `${by} deletes persistent ${row.name}`);
        if (isAutomatic && isForeign(row)) violated("G3", `${by} deletes foreign ${row.name}`);
        if (task.functionName === "collectGarbage") checkCollected(row, task, by);
      },
    };
  }

  function checkCollected({ name }: ConferenceRecord, task: Task, by: string): void {
    const insertedAt = task.deletionInsertedAt.get(name);
    if (insertedAt === undefined) violated("I5", `${by} deletes ${name} without its message`);
    else if (now() - insertedAt < minAgeMilliseconds)
      violated("I5", `${by} deletes ${name} ${(now() - insertedAt) / 1000} s after its message was put`);
    const check = task.liveChecks.get(name);
    const liveSince = table.liveSince.get(name);
    if (check === undefined) violated("G4", `${by} deletes ${name} without asking whether it is live`);
    else if (check !== "failed" && liveSince !== undefined && liveSince < check)
      violated("G4", `${by} deletes ${name}, which the platform reported as live`);
    if (handedOut.has(name) && !dueForDeletion.has(name))
      violated("G1", `${by} deletes ${name}, which is handed out and has not ended`);
  }

  return {
    violations,
    violated,
    handedOut,
    made,
    tagWriters,
    assignedAt,
    ended,
    dueForDeletion,
    tampered,
    touches,
    leaked,
    discards: () => discards,
    removed,
    goneBeforeCommit,
    metricsRows,
    recordedReasons,
    tableObserver,

    onPut(queue: string, text: string, task: Task): void {
      if (queue === "pool") {
        if (pooledNames.has(text)) violated("G1", `#${task.id} puts ${text} into the pool once more`);
        pooledNames.add(text);
        touched(text, task);
      }
      if (queue === "deletion") {
        task.queuedForDeletion.add(text);
        if (task.functionName === "bulkDeleteRooms") dueForDeletion.add(text);
      }
    },

    onMessageDeleted(queue: string, text: string): void {
      if (queue === "pool" && deletedInBulk.has(text)) goneBeforeCommit.add(text);
    },

    onReceive(queue: string, messages: readonly QueueMessage[], task: Task): void {
      if (queue === "pool") for (const { text } of messages) touched(text, task);
      if (queue !== "deletion") return;
      for (const { text, ageSeconds } of messages) {
        const insertedAt = now() - ageSeconds * 1000;
        const other = task.deletionInsertedAt.get(text) ?? Number.NEGATIVE_INFINITY;
        task.deletionInsertedAt.set(text, Math.max(other, insertedAt));
      }
    },

    /** Notes which reads of the platform a task makes; call the result with whether an answer came. */
    onPlatformRead({ method, path, query }: PlatformCall, task: Task): (isAnswered: boolean) => void {
      if (method !== "GET") return () => undefined;
      if (path === configurationPath && query?.["name"] === undefined) task.lastListAt = now();
      const name = query?.["name"];
      if (path !== livePath || typeof name !== "string") return () => undefined;
      const askedAt = now();
      return (isAnswered) => {
        if (isAnswered && table.liveSince.has(name)) recordedReasons.add(name);
        task.liveChecks.set(name, isAnswered ? askedAt : "failed");
      };
    },

    onLog(line: string, task: Task): void {
      if (line.includes('"room-leaked"')) leaked.add(JSON.parse(line).room);
      const leak =
        secrets.find((secret) => line.includes(secret)) ??
        line.match(/\d{12}/g)?.find((digits) => guestPins.has(digits));
      if (leak !== undefined) violated("G7", `#${task.id} ${task.functionName} logs a secret: ${line}`);
      if (line.includes('"room-discarded"')) discards += 1;
      if (line.includes('"deletion-skipped"')) {
        const { room, reason } = JSON.parse(line);
        if (reason === "live" || reason === "assigned-later") recordedReasons.add(room);
      }
    },

    /** Rooms of this service that the platform holds, as the marker or their making tells. */
    ourRooms: () =>
      table
        .rows()
        .filter(({ name, description }) => made.has(name) || parseMarker(description) !== undefined),
  };
}

/** Whether an invocation is one of the two that hand out rooms. */
export function isClaim({ functionName }: Task): boolean {
  return functionName === "createRoom" || functionName === "createRoomFromQueue";
}

/** As the design says: another service type, or aliases of which none equals the name, and no marker. */
function isForeign({ name, description, fields }: ConferenceRecord): boolean {
  if (fields["service_type"] !== "conference") return true;
  const aliases = Array.isArray(fields["aliases"]) ? fields["aliases"] : [];
  const isNamed = aliases.length === 0 || aliases.some(({ alias }) => alias === name);
  return !isNamed && parseMarker(description) === undefined;
}
