/** Bugs that are planted in the sources to check that the simulation finds them. */
import type { PromiseName } from "../../test/simulation/ledger.ts";

export interface PlantedBug {
  /** Completes the sentence "a gateway that …". */
  readonly bug: string;
  /** The promise that is reported broken first. */
  readonly breaks: PromiseName;
  /** The scenario of the exploration that finds it. Without one, only histories do. */
  readonly scenario?: string;
  /** How many faults it explores; one by default. */
  readonly scenarioFaults?: number;
  readonly file: string;
  /** Texts that the file, or another one, contains exactly once, and their replacements. */
  readonly edits: readonly (readonly [from: string, to: string, otherFile?: string])[];
}

const claim = "src/lib/pool/claim.ts";
const claimFailures = "src/lib/pool/settlement.ts";
const provisioning = "src/lib/pool/provisioning.ts";
const collection = "src/lib/deletion/collection.ts";
const decisions = "src/lib/deletion/decisions.ts";
const roomDeletion = "src/lib/deletion/room-deletion.ts";
/** Without this, the deletion does not look up persistent rooms at all. */
const unguarded = [
  "if (isPersistent(request.room)) return decide(request, undefined, options);",
  "",
  roomDeletion,
] as const;
const bulkDeletion = "src/lib/deletion/bulk-deletion.ts";
const retirement = "tools/ops/pool/retirement.ts";

export const plantedBugs: readonly PlantedBug[] = [
  {
    bug: "responds before the delete is confirmed",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    file: claim,
    edits: [["await commit(held);", "void commit(held).catch(() => undefined);"]],
  },
  {
    bug: "treats a lost lease as a commit",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    file: "src/lib/ports.ts",
    edits: [['isHeld() ? "gone" : "lost"', 'isHeld() ? "gone" : "deleted"']],
  },
  {
    bug: "does not check the marker",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    scenarioFaults: 2,
    file: claim,
    edits: [['if (marker?.state === "assigned")', 'if (message.id === "")']],
  },
  {
    bug: "keeps a room whose change has an unknown outcome",
    breaks: "handed-out-twice",
    file: claimFailures,
    edits: [['"assignment-unknown": "discard-room"', '"assignment-unknown": "release"']],
  },
  {
    bug: "requests no replacement",
    breaks: "pool-level-wrong",
    scenario: "two repeats with one idempotency key",
    file: "src/lib/pool/replenishment.ts",
    edits: [
      ["if (maxRooms === 0) return nothingToWithdraw;", "if (maxRooms >= 0) return nothingToWithdraw;"],
    ],
  },
  {
    bug: "returns its own room if another request with the same key was faster",
    breaks: "repeated-create-differs",
    scenario: "two repeats with one idempotency key",
    file: "src/lib/pool/idempotent-claims.ts",
    edits: [["if (winner?.room === room.name) return room;", "if (winner) return room;"]],
  },
  {
    bug: "logs the guest PIN",
    breaks: "secret-exposed",
    file: claim,
    edits: [
      [
        "await commitAndReplace(held);",
        'await commitAndReplace(held); log.info("pin", { pin: String(room["guest_pin"]) });',
      ],
    ],
  },
  {
    bug: "retries the put into the pool",
    breaks: "handed-out-twice",
    scenario: "provisioning with a lost response at each call",
    file: provisioning,
    edits: [
      [
        "await pool.put(newRoomName(random), { invisibleSeconds });",
        "await pool.put(room, { invisibleSeconds }).catch(async () => pool.put(room));",
      ],
      [
        "const message = await pool.put(",
        "const room = newRoomName(random);\nconst message = await pool.put(",
      ],
    ],
  },
  {
    bug: "creates the room before its name is in the pool",
    breaks: "room-lost",
    scenario: "provisioning with a lost response at each call",
    file: provisioning,
    edits: [
      ["await provisionRoom(queued, log);", ""],
      [
        "const message = await pool.put(newRoomName(random), { invisibleSeconds });",
        `const room = newRoomName(random);
         const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
         const unsent = { id: "", text: room, popReceipt: "", dequeueCount: 0, insertedAt: 0, ageSeconds: 0 };
         await provisionRoom({ message: unsent, invisibleUntil }, log);
         const message = await pool.put(room, { invisibleSeconds });`,
      ],
    ],
  },
  {
    bug: "provisions rooms however many the pool holds",
    breaks: "pool-level-wrong",
    file: provisioning,
    edits: [["if (await isEnough(request, dequeueCount)) return undefined;", ""]],
  },
  {
    bug: "creates a room whose name was discarded while provisioning was suspended",
    breaks: "room-lost-by-one-fault",
    scenario: "provisioning with a lost response at each call",
    file: provisioning,
    edits: [["{ timeoutSeconds: createSeconds, startBefore }", "{ timeoutSeconds: createSeconds }"]],
  },
  {
    bug: "queues a room for deletion that was claimed while provisioning was suspended",
    breaks: "handed-out-twice",
    scenario: "provisioning with a lost response at each call",
    file: provisioning,
    edits: [["if (isGone && clock.now() < invisibleUntil)", "if (isGone)"]],
  },
  {
    bug: "collects rooms of any age",
    breaks: "deleted-too-early",
    scenario: "claim, stray event and collector",
    file: collection,
    edits: [["const isYoung = youngest.ageSeconds < minAgeSeconds;", "const isYoung = false;"]],
  },
  {
    bug: "collects live rooms",
    breaks: "deleted-too-early",
    scenario: "a live and a persistent room before the collector",
    file: decisions,
    edits: [['if (action === "keep" || !isLive)', "if (true)"]],
  },
  {
    bug: "drops its own request about a live room, whose end keeps it",
    breaks: "room-lost-by-one-fault",
    file: decisions,
    edits: [['=== "keep" && !request.isOverdue ? "postpone" : "keep"', '=== "keep" ? "keep" : "keep"']],
  },
  {
    bug: "collects by its first look at the room, which can be minutes old",
    breaks: "deleted-too-early",
    scenario: "claim of an unmarked room, stray event and collector",
    scenarioFaults: 0,
    file: collection,
    edits: [
      [
        "await deleteRoom(request, { log, startBefore, onlyLooks: isYoung })",
        "await deleteRoom(request, { log, startBefore, onlyLooks: isYoung, ...(await deleteRoom(request, { log, startBefore, onlyLooks: true })) })",
      ],
    ],
  },
  {
    bug: "collects the rooms of another gateway",
    breaks: "protected-room-deleted",
    file: decisions,
    edits: [
      [
        '"other-gateway": { event: "keep", gateway: "keep" }',
        '"other-gateway": { event: "delete", gateway: "keep" }',
      ],
    ],
  },
  {
    bug: "collects persistent rooms",
    breaks: "protected-room-deleted",
    scenario: "a live and a persistent room before the collector",
    file: decisions,
    edits: [
      ['persistent: { event: "keep", gateway: "keep" }', 'persistent: { event: "delete", gateway: "keep" }'],
      unguarded,
    ],
  },
  {
    bug: "deletes persistent rooms in bulk",
    breaks: "protected-room-deleted",
    scenario: "claim and bulk delete",
    file: decisions,
    edits: [
      ['persistent: { event: "keep", gateway: "keep" }', 'persistent: { event: "keep", gateway: "delete" }'],
      unguarded,
    ],
  },
  {
    bug: "leaves leased names in the pool on bulk delete",
    breaks: "handed-out-twice",
    scenario: "claim and bulk delete",
    file: bulkDeletion,
    edits: [["await pool.clear();", ""]],
  },
  {
    bug: "deletes a room in bulk that was handed out after it was listed",
    breaks: "handed-out-twice",
    scenario: "claim and bulk delete",
    scenarioFaults: 0,
    file: bulkDeletion,
    edits: [["return received.has(name) ||", "return true ||"]],
  },
  {
    bug: "clears the name of an unmarked room before it is queued for deletion",
    breaks: "room-lost",
    scenario: "bulk delete of an unmarked room with each failure",
    file: bulkDeletion,
    edits: [["queueForDeletion(deletion, { room, reason", "void ({ room, reason"]],
  },
  {
    bug: "deletes a pooled room because of an event",
    breaks: "deleted-too-early",
    scenario: "claim, stray event and collector",
    scenarioFaults: 0,
    file: decisions,
    edits: [['pooled: { event: "keep"', 'pooled: { event: "delete"']],
  },
  {
    bug: "deletes a room whose live check failed for the moment",
    breaks: "deleted-too-early",
    scenario: "a live and a persistent room before the collector",
    file: roomDeletion,
    edits: [["if (!isHidden || isOverdue) throw error;", "if (isOverdue) throw error;"]],
  },
  {
    bug: "queues a retired room for deletion only after its message is deleted",
    breaks: "room-lost-by-one-fault",
    scenario: "retirement and claim",
    file: retirement,
    edits: [
      ["await pool.delete(message);", ""],
      ["if (held?.message.id ===", "await pool.delete(message);\nif (held?.message.id ==="],
    ],
  },
  {
    bug: "acknowledges an event before its name is stored",
    breaks: "event-lost",
    scenario: "an event with each failure",
    file: "src/functions/event-sink.ts",
    edits: [
      [
        "await deletionQueueWriter.queueEndedRooms(endedRoomNames, log);",
        "void deletionQueueWriter.queueEndedRooms(endedRoomNames, log).catch(() => undefined);",
      ],
    ],
  },
  {
    bug: "returns the host PIN from create",
    breaks: "secret-exposed",
    file: "src/lib/rooms/shapes.ts",
    edits: [
      ["    name: row.name,\n    service_type", '    name: row.name, ["pin"]: row["pin"],\n    service_type'],
    ],
  },
  {
    bug: "retries a change that timed out",
    breaks: "handed-out-twice",
    file: "src/lib/platform/retries.ts",
    edits: [
      ['if (error.code === "platform-timeout") return false;', ""],
      ['(method === "GET" ||', '(method === "GET" || method === "PATCH" ||'],
    ],
  },
];
