/** `ops drain`: cancels requests and empties the pool. */
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { count, deletionTime } from "../../terminal/format.ts";
import { requirePlatform, type TargetWithPlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { makeSmaller, showPool } from "../pool/make-smaller.ts";
import { namesToDelete, readRooms } from "../pool/room-views.ts";

// Rooms that are provisioned in the meantime are younger. The clocks of this machine and of the app differ by less.
const clockToleranceMilliseconds = 60_000;

export function addDrain({ command, run }: Operator): void {
  command(
    "drain",
    "cancels requests for rooms, empties the pool and has its rooms deleted",
    "For use before the platform is replaced or restored. Rooms that were handed out stay until their conference ends. " +
      "Stop the consumers first, and set MAX_VMR to 0: otherwise each create that finds the pool empty requests a room.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option(
      "--leaked",
      "Also deletes this gateway's rooms that are marked as pooled but in no queue. Rule out a second gateway first: " +
        "docs/operations.md#rooms-unaccounted.",
    )
    .action(run(drain));
}

async function drain({ yes, leaked }: Flags<"yes" | "leaked">, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const takesLeaked = leaked === true;
  const target = requirePlatform(await connect());
  const { pooled, requested } = await showPool(target, context);
  const { maxLevel } = target.settings.pool;
  if (maxLevel > 0)
    terminal.print(
      `MAX_VMR is ${maxLevel}: set it to 0, or creates and POOL_MINIMUM will request new rooms.`,
    );
  if (yes) return carryOut(target, pooled, takesLeaked, context);
  const deleted = `${count(pooled, "room")}${takesLeaked ? " and those in no queue" : ""}`;
  const canceled = count(requested, "request");
  return conclude("ok", `Would delete ${deleted}, and cancel ${canceled}. Do it with --yes.`);
}

async function carryOut(target: TargetWithPlatform, pooled: number, takesLeaked: boolean, context: Context) {
  const { terminal, stopping, conclude } = context;
  const { pool, provisioning, deletion } = target.queues;
  await provisioning.clear();
  const retired = await makeSmaller(target, "drain", { amount: pooled, level: 0 }, context);
  const emptyAt = target.clock.now();
  const [left, requested] = await Promise.all([pool.count(), provisioning.count()]);
  const taken = `${count(retired, "room")} taken out`;
  if (stopping.aborted) return conclude("interrupted", `${taken}; ${left} are still in the pool.`);
  const names = `${count(left, "name")} leased or not ready yet, and ${count(requested, "room")} requested`;
  if (left + requested > 0)
    return conclude("finding", `${taken}. ${names}.\nRun the command again in five minutes.`);
  // The pool is empty, so a room that is still marked as pooled is in no queue, and no claim can get it.
  const waiting = await namesToDelete(target);
  const leaked = (await readRooms(target)).filter(
    ({ name, marker }) =>
      marker.state === "pooled" &&
      Date.parse(marker.since) < emptyAt - clockToleranceMilliseconds &&
      !waiting.has(name),
  );
  const by = { reason: "ops drain", operator: await target.operatorId() };
  const queued = takesLeaked ? leaked : [];
  for (const { name } of queued) await queueForDeletion(deletion, { room: name, ...by });
  const deleted = count(retired + queued.length, "room");
  terminal.print(`The pool is empty. ${deleted} will be deleted ${deletionTime(target.settings)}.`);
  if (leaked.length > queued.length)
    terminal.print(
      `${count(leaked.length, "room")} marked as pooled but in no queue stay without --leaked: docs/operations.md#rooms-unaccounted.`,
    );
  return "ok";
}
