/** Bugs, each of which breaks a promise, as edits of the sources. */
import type { PromiseName } from "./ledger.ts";

interface PlantedBug {
  /** Completes "a gateway that …". */
  readonly bug: string;
  /** The promise that is found broken. */
  readonly breaks: PromiseName;
  readonly scenario: string;
  readonly faults: number;
  /** Texts that a file contains exactly once, and their replacements. */
  readonly edits: readonly (readonly [file: string, from: string, to: string])[];
}

const bulkDeletion = "src/lib/deletion/bulk-deletion.ts";
const provisioning = "src/lib/pool/provisioning.ts";
const decisions = "src/lib/deletion/decisions.ts";
const roomDeletion = "src/lib/deletion/room-deletion.ts";

export const bugs: readonly PlantedBug[] = [
  {
    bug: "treats a lost lease as a commit",
    breaks: "handed-out-twice",
    scenario: "a claim whose lease ends",
    faults: 1,
    edits: [["src/lib/queue.ts", 'isHeld() ? "gone" : "lost"', 'isHeld() ? "gone" : "deleted"']],
  },
  {
    bug: "treats a delete without any response as a commit",
    breaks: "handed-out-twice",
    scenario: "claim and bulk delete",
    faults: 1,
    edits: [["src/lib/queue.ts", 'return second === "gone" ?', 'return second !== "lost" ?']],
  },
  {
    bug: "gives up a room without queueing its name for deletion",
    breaks: "room-lost-by-one-fault",
    scenario: "a claim whose lease ends",
    faults: 1,
    edits: [["src/lib/pool/giving-up.ts", "if (isNobodys && mayExist) await", "if (false) await"]],
  },
  {
    bug: "puts a name into the pool twice if the response is lost",
    breaks: "handed-out-twice",
    scenario: "provisioning with a lost response at each call",
    faults: 1,
    edits: [
      [
        provisioning,
        "const message = await pool.put(newRoomName(random), { invisibleSeconds });",
        `const room = newRoomName(random);
         const message = await pool.put(room, { invisibleSeconds }).catch(async () => pool.put(room));`,
      ],
    ],
  },
  {
    bug: "counts the ready delay from the moment at which it puts the name",
    breaks: "handed-out-too-early",
    scenario: "provisioning and a create before the room is ready",
    faults: 1,
    edits: [
      [
        provisioning,
        "await pool.setInvisible(message, readyDelaySeconds);",
        `const putAt = heldUntil - invisibleSeconds * 1000;
         await pool.setInvisible(message, Math.max(0, readyDelaySeconds - (clock.now() - putAt) / 1000));`,
      ],
    ],
  },
  {
    bug: "makes an adopted room visible at once",
    breaks: "handed-out-too-early",
    scenario: "provisioning with a lost response at each call",
    faults: 1,
    edits: [
      [
        provisioning,
        'log.warn("room-adopted", { room: name }, error);',
        'log.warn("room-adopted", { room: name }, error);\n await pool.setInvisible(held.message, 0);',
      ],
    ],
  },
  {
    bug: "holds a new name for ten minutes, however long the ready delay is",
    breaks: "handed-out-too-early",
    scenario: "provisioning with a long ready delay",
    faults: 1,
    edits: [
      [
        provisioning,
        "Math.max(minInvisibleSeconds, storedSeconds + readyDelaySeconds)",
        "minInvisibleSeconds",
      ],
      [provisioning, "createSeconds + lookUpSeconds + readyDelaySeconds", "createSeconds + lookUpSeconds"],
    ],
  },
  {
    bug: "deletes a listed room in bulk without another look at it",
    breaks: "handed-out-twice",
    scenario: "claim and bulk delete",
    faults: 0,
    edits: [[bulkDeletion, "row: isSure(row.name, progress) ? row : undefined", "row"]],
  },
  {
    bug: "deletes rooms in bulk that are listed after the pool was emptied",
    breaks: "pool-level-wrong",
    scenario: "provisioning and bulk delete",
    faults: 0,
    edits: [
      [
        bulkDeletion,
        "const due = rows.filter",
        "const due = (await conferences.list({ startBefore })).filter",
      ],
    ],
  },
  {
    bug: "acknowledges an event before its name is stored",
    breaks: "event-lost",
    scenario: "an event with each failure",
    faults: 0,
    edits: [
      [
        "src/functions/event-sink.ts",
        "await deletionQueueWriter.queueEndedRooms(endedRoomNames, log);",
        "void deletionQueueWriter.queueEndedRooms(endedRoomNames, log);",
      ],
    ],
  },
  {
    bug: "keeps the message about a live room of another system for ever",
    breaks: "ended-room-kept",
    scenario: "a live and a persistent room before the collector",
    faults: 0,
    edits: [
      [
        decisions,
        'const waits = decision === "delete-after-conference" &&',
        'const waits = decision !== "delete" &&',
      ],
      [roomDeletion, 'if (decision.action !== "delete" || !row)', "if (!row)"],
      [
        roomDeletion,
        "if (!(await conferences.delete(",
        'if (decision.action !== "delete") return decision;\n    if (!(await conferences.delete(',
      ],
    ],
  },
];
