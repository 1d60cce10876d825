/** Bugs that are planted in copies of the sources to check that the simulation finds them. */
import type { PromiseName } from "./promises.ts";

export interface PlantedBug {
  /** Completes the sentence "a gateway that …". */
  readonly bug: string;
  /** The promise that is reported broken first. */
  readonly breaks: PromiseName;
  /** The scenario of the exploration that finds it, or the reason why none does. */
  readonly scenario: string | { readonly reason: string };
  /** How many faults that takes at most; one by default. */
  readonly scenarioFaults?: number;
  readonly isExploredInEveryTestRun?: true;
  readonly file: string;
  /** Texts that the file contains exactly once, and their replacements. */
  readonly edits: readonly (readonly [from: string, to: string])[];
}

const notAboutOrder = { reason: "about what the API returns or logs, not about an order of effects" };
const onlyLateChanges = {
  reason: "needs a change that takes effect after its timeout, which only the simulation has",
};
const claim = "src/lib/pool/claim.ts";
const disposal = "src/lib/pool/claim-failures.ts";
const provisioning = "src/lib/pool/provisioning.ts";
const garbage = "src/lib/pool/collection.ts";
const bulkDeletion = "src/lib/pool/bulk-deletion.ts";
const retirement = "tools/ops/pool/retirement.ts";
const memoryQueue = "test/support/memory-queue.ts";

export const plantedBugs: readonly PlantedBug[] = [
  {
    bug: "responds before the delete is confirmed",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    file: claim,
    edits: [["await commit(attempt);", "void commit(attempt).catch(() => undefined);"]],
  },
  {
    bug: "treats a lost lease as a commit",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    isExploredInEveryTestRun: true,
    file: "src/lib/ports.ts",
    edits: [['if (first !== "unknown") return "lost";', 'if (first !== "unknown") return "deleted";']],
  },
  {
    bug: "treats a missing message as its own delete after the lease",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    scenarioFaults: 2,
    file: "src/lib/ports.ts",
    edits: [['(second === "message-gone" && isHeld())', '(second === "message-gone")']],
  },
  {
    bug: "does not check the marker",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    scenarioFaults: 2,
    file: claim,
    edits: [['else if (marker?.state === "assigned")', 'else if (message.id === "")']],
  },
  {
    bug: "keeps a room whose change has an unknown outcome",
    breaks: "handed-out-twice",
    scenario: onlyLateChanges,
    file: disposal,
    edits: [['"assignment-unknown": "discard-room"', '"assignment-unknown": "release"']],
  },
  {
    bug: "requests no replacement",
    breaks: "pool-level-wrong",
    scenario: "two repeats with one idempotency key",
    isExploredInEveryTestRun: true,
    file: "src/lib/pool/replenishment.ts",
    edits: [
      ["if (maxRooms === 0) return nothingToWithdraw;", "if (maxRooms >= 0) return nothingToWithdraw;"],
    ],
  },
  {
    bug: "returns its own room if another request with the same key was faster",
    breaks: "repeated-create-differs",
    scenario: "two repeats with one idempotency key",
    isExploredInEveryTestRun: true,
    file: "src/lib/pool/idempotent-claims.ts",
    edits: [["if (winner?.room === room.name) return room;", "if (winner) return room;"]],
  },
  {
    bug: "logs the guest PIN",
    breaks: "secret-exposed",
    scenario: notAboutOrder,
    file: claim,
    edits: [
      [
        "await commitAndReplace(attempt);",
        'await commitAndReplace(attempt); claim.log.info("room-claimed", { pin: String(room["guest_pin"]) });',
      ],
    ],
  },
  {
    bug: "retries the put into the pool",
    breaks: "handed-out-twice",
    scenario: "provisioning with a lost answer at each call",
    isExploredInEveryTestRun: true,
    file: provisioning,
    edits: [
      [
        "await pool.put(newRoomName(random), { invisibleSeconds });",
        "await pool.put(room, { invisibleSeconds }).catch(async () => pool.put(room));",
      ],
      ["const name = await", "const room = newRoomName(random);\nconst name = await"],
    ],
  },
  {
    bug: "creates the room before its name is in the pool",
    breaks: "room-lost",
    scenario: "provisioning with a lost answer at each call",
    file: provisioning,
    edits: [
      ["const name = await pool.put(newRoomName(random), { invisibleSeconds });", ""],
      [
        "await provisionRoom(name, invisibleUntil, log);",
        `const room = newRoomName(random);
         await provisionRoom({ id: "", text: room, popReceipt: "", dequeueCount: 0, insertedAt: 0, ageSeconds: 0 }, invisibleUntil, log);
         const name = await pool.put(room, { invisibleSeconds });`,
      ],
    ],
  },
  {
    bug: "provisions rooms however many the pool holds",
    breaks: "pool-level-wrong",
    scenario: { reason: "one room too many is within the tolerance of a pool of so few" },
    file: provisioning,
    edits: [["if (await isEnough(request, dequeueCount)) {", "if (false) {"]],
  },
  {
    bug: "creates a room whose name was discarded while provisioning was suspended",
    breaks: "room-lost-by-one-fault",
    scenario: "provisioning with a lost answer at each call",
    file: provisioning,
    edits: [["{ timeoutSeconds: createSeconds, startBefore }", "{ timeoutSeconds: createSeconds }"]],
  },
  {
    bug: "queues a room for deletion that was claimed while provisioning was suspended",
    breaks: "handed-out-twice",
    scenario: "provisioning with a lost answer at each call",
    file: provisioning,
    edits: [["if (isGone && clock.now() < invisibleUntil)", "if (isGone)"]],
  },
  {
    bug: "collects rooms of any age",
    breaks: "deleted-too-early",
    scenario: "claim, stray event and collector",
    file: garbage,
    edits: [['if (youngest.ageSeconds < minAgeSeconds) return "young";', ""]],
  },
  {
    bug: "collects live rooms",
    breaks: "deleted-too-early",
    scenario: "a live and a persistent room before the collector",
    file: garbage,
    edits: [['if (await isLive(room, run.log)) return "live";', "await isLive(room, run.log);"]],
  },
  {
    bug: "collects by the row of the list, which can be minutes old",
    breaks: "deleted-too-early",
    scenario: "claim, stray event and collector",
    file: garbage,
    edits: [
      [
        "const current = await conferences.findByName(room);",
        "const current = seen as typeof seen | undefined;",
      ],
    ],
  },
  {
    bug: "collects persistent rooms",
    breaks: "protected-room-deleted",
    scenario: "a live and a persistent room before the collector",
    isExploredInEveryTestRun: true,
    file: garbage,
    edits: [['if (isPersistent(room)) return "persistent";', ""]],
  },
  {
    bug: "removes a room's older messages first and continues after its leases",
    breaks: "ended-room-kept",
    scenario: "two collectors",
    file: garbage,
    edits: [
      ["if (clock.now() >= startBefore) {", "if (false) {"],
      [
        "const reason = await deleteUnlessKept(ended, listed, run);",
        "for (const message of older) await removeConfirmed(message);\nconst reason = await deleteUnlessKept(ended, listed, run);",
      ],
      ["await removeConfirmed(message);\n      run.log", "run.log"],
    ],
  },
  {
    bug: "deletes persistent rooms in bulk",
    breaks: "protected-room-deleted",
    scenario: "claim and bulk delete",
    file: bulkDeletion,
    edits: [["({ name }) => !isPersistent(name),", "() => true,"]],
  },
  {
    bug: "leaves leased names in the pool on bulk delete",
    breaks: "handed-out-twice",
    scenario: "claim and bulk delete",
    file: bulkDeletion,
    edits: [["await pool.clear();", ""]],
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
        "await endedRooms.queueForDeletion(names, body, log);",
        "void endedRooms.queueForDeletion(names, body, log).catch(() => undefined);",
      ],
    ],
  },
  {
    bug: "takes another event for a retry of one that was not stored completely",
    breaks: "event-lost",
    scenario: { reason: "needs a body of several names" },
    file: "src/lib/pool/deletion-queue.ts",
    edits: [["update(JSON.stringify(body))", 'update("")']],
  },
  {
    bug: "returns the host PIN from create",
    breaks: "secret-exposed",
    scenario: notAboutOrder,
    file: "src/lib/rooms/shapes.ts",
    edits: [
      [
        "return {\n    ...common(row),\n    aliases",
        'return {\n    ...common(row), ["pin"]: row["pin"],\n    aliases',
      ],
    ],
  },
  {
    bug: "retries a change that timed out",
    breaks: "handed-out-twice",
    scenario: onlyLateChanges,
    file: "src/lib/platform/client.ts",
    edits: [
      [' || error.code === "platform-timeout"', ""],
      ['(method === "GET" ||', '(method === "GET" || method === "PATCH" ||'],
    ],
  },
  {
    bug: "lets messages expire after seven days, the storage's default",
    breaks: "room-lost-by-one-fault",
    scenario: "two claims and one message",
    file: memoryQueue,
    edits: [
      [
        "const visible = () => messages.filter(",
        `const expire = () => { messages = messages.filter(({ insertedAt }) => clock.now() - insertedAt < 7 * 86_400_000); };
         const visible = () => (expire(), messages).filter(`,
      ],
      ["contents: () => messages.map(", "contents: () => (expire(), messages).map("],
      ["count: async () => messages.length", "count: async () => (expire(), messages).length"],
    ],
  },
];
