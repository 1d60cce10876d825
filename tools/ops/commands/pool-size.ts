/** `ops fill` and `ops shrink`: change the number of rooms in the pool. */
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { wholeNumber } from "../../terminal/create-command.ts";
import { count, deletionTime, duration } from "../../terminal/format.ts";
import { requirePlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { makeSmaller, showPool } from "../pool/make-smaller.ts";

export function addFill({ command, run }: Operator): void {
  command(
    "fill",
    "requests the rooms that the pool lacks up to its level, MAX_VMR",
    "The gateway makes them in the background, as after POST /room/bulk/. Requested rooms count, so it is safe to run it again. " +
      "It also deletes the requests that the host gave up, for which the pool no longer lacks a room then.",
  ).action(run(fill));
}

async function fill(_options: object, { terminal, connect, conclude }: Context): Promise<Outcome> {
  const { queues, settings } = await connect();
  const { maxLevel, readyDelaySeconds } = settings.pool;
  const requested = await createReplenishment({ ...queues, maxLevel }).topUpTo(maxLevel);
  // Last, so that `status` shows them until the rooms are requested.
  const givenUp = await queues.poison.count();
  await queues.poison.clear();
  if (givenUp > 0) terminal.print(`${count(givenUp, "request")} that the host gave up deleted.`);
  if (maxLevel === 0)
    return conclude("ok", "MAX_VMR is 0, which switches the pool off. There is nothing to do.");
  const [pooled, pending] = await Promise.all([queues.pool.count(), queues.provisioning.count()]);
  terminal.print(
    `${count(requested, "room")} requested; the pool has ${pooled} of ${maxLevel}, and ${pending} are pending.`,
  );
  const delay = duration(readyDelaySeconds);
  return conclude("ok", `A new room can be handed out after ${delay}. See the pool: npm run ops -- status`);
}

export function addShrink({ command, run }: Operator): void {
  command(
    "shrink",
    "makes the pool smaller: takes rooms out of it and has them deleted",
    "Only rooms in the pool are deleted, never one that was handed out. The garbage collection deletes them 10 to 20 " +
      "minutes later. Lower MAX_VMR (and POOL_MINIMUM) first, unless the gateway " +
      "is to fill the pool up again.",
  )
    .argument(
      "<N>",
      "The level of the pool: how many rooms stay in it, requested ones included.",
      wholeNumber(0, 10_000),
    )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .action(async (level, options) => run(shrink)({ ...options, level }));
}

async function shrink({ level, yes }: Flags<"yes"> & { level: number }, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping, conclude } = context;
  const target = requirePlatform(await connect());
  const { pooled, requested } = await showPool(target, context);
  const amount = Math.min(pooled, pooled + requested - level);
  if (amount <= 0) return conclude("ok", "There is nothing to do.");
  const { minLevel = 0, maxLevel } = target.settings.pool;
  if (minLevel > level)
    terminal.print(`POOL_MINIMUM is ${minLevel}: the gateway fills the pool up again within five minutes.`);
  else if (maxLevel > level)
    terminal.print(
      `MAX_VMR is ${maxLevel}: a create that finds the pool empty, and bulk create, fill it up again.`,
    );
  const rooms = count(amount, "room");
  if (!yes) return conclude("ok", `Would take ${rooms} out of the pool and delete them. Do it with --yes.`);
  const retired = await makeSmaller(target, "shrink", { amount, level }, context);
  const { pool, provisioning } = target.queues;
  const [left, pending] = await Promise.all([pool.count(), provisioning.count()]);
  terminal.print(
    `${count(retired, "room")} will be deleted ${deletionTime(target.settings)}; ${left} are in the pool.`,
  );
  if (left === 0 || left + pending <= level) return "ok";
  if (stopping.aborted) return "interrupted";
  return conclude(
    "finding",
    "The other names are leased by claims, or their rooms are not ready yet. Run the command again in five minutes.",
  );
}
