/** `ops unaccounted`: lists rooms that nobody uses, and has them deleted. */
import type { Log } from "../../../src/lib/log.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { isPersistent } from "../../../src/lib/ownership/room.ts";
import { count, deletionTime, duration, table } from "../../terminal/format.ts";
import { requirePlatform, type TargetWithPlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { namesToDelete } from "../pool/room-views.ts";
import { measureGateway } from "../status/metrics.ts";
import { silentLog, withProgress } from "../terminal.ts";

export function addUnaccounted({ command, run }: Operator): void {
  command(
    "unaccounted",
    "lists rooms that are neither in the pool nor in use, and with --yes has them deleted",
    "A room is listed if it was handed out more than 24 hours ago and no conference is running. The garbage collection " +
      "checks each room again before it deletes it. Persistent rooms stay.",
  )
    .option("--yes", "Deletes the listed rooms. Without this option, the command only lists them.")
    .action(run(unaccounted));
}

async function unaccounted({ yes }: Flags<"yes">, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping, conclude } = context;
  const target = requirePlatform(await connect());
  const { forgotten, beyondPool } = await findUnaccounted(target);
  const waiting = await namesToDelete(target);
  const rooms = forgotten.filter(({ room }) => !waiting.has(room));
  if (rooms.length === 0 && beyondPool === 0) return conclude("ok", "Every room is accounted for.");
  const handedOut = (ageHours: number | null) =>
    ageHours === null ? "at an unknown time" : `${duration(ageHours * 3600)} ago`;
  const rows = rooms.map(({ room, ageHours }) => [room, handedOut(ageHours)]);
  if (rows.length > 0) for (const line of table([["NAME", "HANDED OUT"], ...rows])) terminal.print(line);
  if (beyondPool > 0)
    terminal.print(
      `${count(beyondPool, "room")} marked as pooled beyond the pool. Rooms count until they are deleted; ` +
        "the others can be listed when the pool is empty: docs/operations.md#rooms-unaccounted",
    );
  const deletable = rooms.filter(({ room }) => !isPersistent(room));
  if (deletable.length === 0) return "finding";
  if (!yes) return conclude("finding", `Would delete ${count(deletable.length, "room")}. Do it with --yes.`);
  const operator = await target.operatorId();
  let queued = 0;
  await withProgress(terminal, "rooms", deletable.length, async (show) => {
    for (const { room } of deletable) {
      if (stopping.aborted) return;
      await queueForDeletion(target.queues.deletion, { room, reason: "ops unaccounted", operator });
      queued += 1;
      show(queued);
    }
  });
  terminal.print(
    `${count(queued, "room")} will be deleted ${deletionTime(target.settings)}. Do not run this again before then: ` +
      "a room that is queued again waits for the full time again.",
  );
  if (stopping.aborted) return "interrupted";
  return beyondPool === 0 && queued === rooms.length ? "ok" : "finding";
}

/** Returns the rooms of this gateway that nobody uses. Throws what the platform or the queues throw. */
async function findUnaccounted(target: TargetWithPlatform) {
  let failure: unknown;
  const log: Log = {
    ...silentLog,
    warn: (_event, _fields, cause) => {
      failure = cause;
    },
  };
  const { unaccounted: found } = await measureGateway(target, target.platform, log);
  if (!found) throw failure;
  return found;
}
