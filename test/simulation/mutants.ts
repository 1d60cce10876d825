/** Deliberate bugs, each made in a copy of the sources, and what it takes to run the simulation on such a copy. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { firstViolation } from "./short-run.ts";

export interface Mutant {
  readonly bug: string;
  readonly file: string;
  /** Texts that each stand exactly once in the file, and what takes their place. */
  readonly edits: readonly (readonly [from: string, to: string])[];
}

const claim = "src/lib/pool/claim.ts";
const provisioning = "src/lib/pool/provisioning.ts";
const garbage = "src/lib/pool/garbage.ts";
const bulkDeletion = "src/lib/pool/bulk-deletion.ts";
const memoryQueue = "test/support/memory-queue.ts";

export const mutants: readonly Mutant[] = [
  {
    bug: "answers before the delete is confirmed",
    file: claim,
    edits: [["await commit(attempt);", "void commit(attempt).catch(() => undefined);"]],
  },
  {
    bug: "takes a lost lease for a commit",
    file: "src/lib/pool/queue.ts",
    edits: [['if (first !== "unknown") return "lost";', 'if (first !== "unknown") return "deleted";']],
  },
  {
    bug: "takes a message for its own deletion after the lease",
    file: "src/lib/pool/queue.ts",
    edits: [[" && isHeld())", ")"]],
  },
  {
    bug: "does not check the marker",
    file: claim,
    edits: [['if (marker?.state === "assigned") {', "if (false) {"]],
  },
  {
    bug: "keeps a room whose change has an unknown outcome",
    file: claim,
    edits: [['} else if (error.outcome === "unknown") {', "} else if (false) {"]],
  },
  {
    bug: "requests no replacement",
    file: claim,
    edits: [["await replenishment.replace(log);", ""]],
  },
  {
    bug: "logs the guest PIN",
    file: claim,
    edits: [["{ room: room.name }", '{ room: room.name, pin: String(room["guest_pin"]) }']],
  },
  {
    bug: "repeats the put into the pool",
    file: provisioning,
    edits: [
      [
        "await pool.put(name, { invisibleSeconds: hiddenSeconds });",
        "await pool.put(name, { invisibleSeconds: hiddenSeconds }).catch(async () => pool.put(name));",
      ],
    ],
  },
  {
    bug: "makes the room before its name is in the pool",
    file: provisioning,
    edits: [
      ["const message = await pool.put(name, { invisibleSeconds: hiddenSeconds });", ""],
      [
        "await createRoom(message, hiddenUntil, log);",
        `await createRoom({ id: "", text: name, popReceipt: "", dequeueCount: 0, ageSeconds: 0 }, hiddenUntil, log);
         const message = await pool.put(name, { invisibleSeconds: hiddenSeconds });`,
      ],
    ],
  },
  {
    bug: "makes rooms whatever the pool holds",
    file: provisioning,
    edits: [["if (await isEnough(wanted.data, dequeueCount)) {", "if (false) {"]],
  },
  {
    bug: "makes a room whose name was discarded while its maker slept",
    file: provisioning,
    edits: [["{ timeoutSeconds: createSeconds, startBefore }", "{ timeoutSeconds: createSeconds }"]],
  },
  {
    bug: "queues a room for deletion that was claimed while its maker slept",
    file: provisioning,
    edits: [["if (isGone && clock.now() < hiddenUntil)", "if (isGone)"]],
  },
  {
    bug: "queues a discarded room for deletion before its message is deleted",
    file: "src/lib/pool/discard.ts",
    edits: [
      [
        "const outcome = await",
        "if (exists) await queueForDeletion(deletion, room, log);\nconst outcome = await",
      ],
      [
        "  if (exists) await queueForDeletion(deletion, room, log);\n  await replenishment",
        "  await replenishment",
      ],
    ],
  },
  {
    bug: "collects rooms of any age",
    file: garbage,
    edits: [["if (missingSeconds > 0) {", "if (false) {"]],
  },
  {
    bug: "collects live rooms",
    file: garbage,
    edits: [
      ['if (await isLive(name, log)) return remove(message, "live", log);', "await isLive(name, log);"],
    ],
  },
  {
    bug: "collects persistent rooms",
    file: garbage,
    edits: [['if (isPersistent(name)) return remove(message, "persistent", log);', ""]],
  },
  {
    bug: "takes a message received twice for two",
    file: garbage,
    edits: [["messages.set(message.id, message)", "messages.set(message.popReceipt, message)"]],
  },
  {
    bug: "removes the older messages of a room before its youngest is settled",
    file: garbage,
    edits: [
      [
        "await handle(youngest,",
        'for (const message of older) await remove(message, "repeated", log);\nawait handle(youngest,',
      ],
      ['for (const message of older) await remove(message, "repeated", log);\n      } catch', "} catch"],
    ],
  },
  {
    bug: "deletes persistent rooms in bulk",
    file: bulkDeletion,
    edits: [[" && !isPersistent(room.name);", ";"]],
  },
  {
    bug: "leaves leased names in the pool when it deletes in bulk",
    file: bulkDeletion,
    edits: [["await pool.clear();", ""]],
  },
  {
    bug: "answers an event before its name is stored",
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
    file: "src/lib/room-shapes.ts",
    edits: [
      [
        "return {\n    ...common(row),\n    aliases",
        'return {\n    ...common(row), ["pin"]: row["pin"],\n    aliases',
      ],
    ],
  },
  {
    bug: "repeats writes whose outcome is unknown",
    file: "src/lib/platform/retry.ts",
    edits: [[' && (method === "GET" || method === "DELETE")', ""]],
  },
  {
    bug: "lets messages expire after seven days, as the storage does by default",
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

const root = fileURLToPath(new URL("../../", import.meta.url));
const copied = ["package.json", "src", "test/simulation", memoryQueue];

/** Makes a copy of the sources with one bug; throws when an edit does not fit. The folder is the caller's to remove. */
export async function plant({
  file,
  edits,
}: Mutant): Promise<{ folder: string; remove: () => Promise<void> }> {
  await mkdir(join(root, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(root, ".tmp", "mutant-"));
  for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true });
  let text = await readFile(join(folder, file), "utf8");
  for (const [from, to] of edits) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(join(folder, file), text);
  return { folder, remove: async () => rm(folder, { recursive: true, force: true }) };
}

/** The short run of such a copy. */
export async function shortRunOf(folder: string): Promise<{ firstViolation: typeof firstViolation }> {
  return import(pathToFileURL(join(folder, "test/simulation/short-run.ts")).href);
}
