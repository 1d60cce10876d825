/** Deliberate bugs that the simulation must find. */

export interface Mutant {
  readonly bug: string;
  /** The promise that is seen broken first. */
  readonly breaks: string;
  readonly file: string;
  /** Texts that each stand exactly once in the file, and what takes their place. */
  readonly edits: readonly (readonly [from: string, to: string])[];
}

const claim = "src/lib/pool/claim.ts";
const disposal = "src/lib/pool/disposal.ts";
const provisioning = "src/lib/pool/provisioning.ts";
const garbage = "src/lib/pool/garbage-collection.ts";
const bulkDeletion = "src/lib/pool/bulk-deletion.ts";
const memoryQueue = "test/support/memory-queue.ts";

const goesOn = ["if (clock.now() >= until) {", "if (false) {"] as const;

export const mutants: readonly Mutant[] = [
  {
    bug: "answers before the delete is confirmed",
    breaks: "G1",
    file: claim,
    edits: [["await commit(attempt);", "void commit(attempt).catch(() => undefined);"]],
  },
  {
    bug: "takes a lost lease for a commit",
    breaks: "G1",
    file: "src/lib/queues/delete-confirmed.ts",
    edits: [['if (first !== "unknown") return "lost";', 'if (first !== "unknown") return "deleted";']],
  },
  {
    bug: "takes a message for its own deletion after the lease",
    breaks: "G1",
    file: "src/lib/queues/delete-confirmed.ts",
    edits: [[" && isHeld())", ")"]],
  },
  {
    bug: "does not check the marker",
    breaks: "G1",
    file: claim,
    edits: [['if (room && marker?.state !== "assigned") return room;', "if (room) return room;"]],
  },
  {
    bug: "keeps a room whose change has an unknown outcome",
    breaks: "G1",
    file: disposal,
    edits: [['"assignment-unknown": "discard-room"', '"assignment-unknown": "leave-to-lease"']],
  },
  {
    bug: "requests no replacement",
    breaks: "G5",
    file: claim,
    edits: [["await replenishment.replace(claim.log);", ""]],
  },
  {
    bug: "logs the guest PIN",
    breaks: "G7",
    file: claim,
    edits: [
      [
        "await replenishment.replace(claim.log);",
        'claim.log.info("room-claimed", { pin: String(room["guest_pin"]) }); await replenishment.replace(claim.log);',
      ],
    ],
  },
  {
    bug: "repeats the put into the pool",
    breaks: "G1",
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
    bug: "makes the room before its name is in the pool",
    breaks: "G2",
    file: provisioning,
    edits: [
      ["const name = await pool.put(newRoomName(random), { invisibleSeconds });", ""],
      [
        "await provisionRoom(name, invisibleUntil, log);",
        `const room = newRoomName(random);
         await provisionRoom({ id: "", text: room, popReceipt: "", dequeueCount: 0, ageSeconds: 0 }, invisibleUntil, log);
         const name = await pool.put(room, { invisibleSeconds });`,
      ],
    ],
  },
  {
    bug: "makes rooms whatever the pool holds",
    breaks: "G5",
    file: provisioning,
    edits: [["if (await isEnough(request, dequeueCount)) {", "if (false) {"]],
  },
  {
    bug: "makes a room whose name was discarded while its maker slept",
    breaks: "I3",
    file: provisioning,
    edits: [["{ timeoutSeconds: createSeconds, startBefore }", "{ timeoutSeconds: createSeconds }"]],
  },
  {
    bug: "queues a room for deletion that was claimed while its maker slept",
    breaks: "G1",
    file: provisioning,
    edits: [["if (isGone && clock.now() < invisibleUntil)", "if (isGone)"]],
  },
  {
    bug: "collects rooms of any age",
    breaks: "I5",
    file: garbage,
    edits: [["if (missingSeconds > 0) {", "if (false) {"]],
  },
  {
    bug: "collects live rooms",
    breaks: "G4",
    file: garbage,
    edits: [
      ['if (await isLive(name, log)) return remove(message, "live", log);', "await isLive(name, log);"],
    ],
  },
  {
    bug: "collects persistent rooms",
    breaks: "G3",
    file: garbage,
    edits: [['if (isPersistent(name)) return remove(message, "persistent", log);', ""]],
  },
  {
    bug: "removes the older messages of a room first, and goes on when its leases are over",
    breaks: "I8",
    file: garbage,
    edits: [
      goesOn,
      [
        "await handle(youngest,",
        'for (const message of older) await remove(message, "repeated", log);\nawait handle(youngest,',
      ],
      ['for (const message of older) await remove(message, "repeated", log);\n      } catch', "} catch"],
    ],
  },
  {
    bug: "deletes persistent rooms in bulk",
    breaks: "G3",
    file: bulkDeletion,
    edits: [[" && !isPersistent(room.name);", ";"]],
  },
  {
    bug: "leaves leased names in the pool when it deletes in bulk",
    breaks: "G1",
    file: bulkDeletion,
    edits: [["await pool.clear();", ""]],
  },
  {
    bug: "answers an event before its name is stored",
    breaks: "G6",
    file: "src/functions/event-sink.ts",
    edits: [
      [
        "await endedRooms.queueForDeletion(names, log);",
        "void endedRooms.queueForDeletion(names, log).catch(() => undefined);",
      ],
    ],
  },
  {
    bug: "answers a create with the host PIN",
    breaks: "G7",
    file: "src/lib/api/room-shapes.ts",
    edits: [
      [
        "return {\n    ...common(row),\n    aliases",
        'return {\n    ...common(row), ["pin"]: row["pin"],\n    aliases',
      ],
    ],
  },
  {
    bug: "repeats writes whose outcome is unknown",
    breaks: "I3",
    file: "src/lib/platform/retry.ts",
    edits: [[' && (method === "GET" || method === "DELETE")', ""]],
  },
  {
    bug: "lets messages expire after seven days, as the storage does by default",
    breaks: "I3",
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
