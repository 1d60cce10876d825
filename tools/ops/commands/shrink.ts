/** `ops shrink`: makes the pool smaller. */
import { defineCommand } from "../command.ts";
import { number, required, yes } from "../options.ts";
import { deletionTime } from "../pool/deletion-time.ts";
import { retireRooms } from "../pool/retire-rooms.ts";
import { requirePlatform } from "../require-platform.ts";
import { count } from "../terminal/format.ts";

export const shrink = defineCommand({
  name: "shrink",
  summary: "makes the pool smaller: takes rooms out of it and has them deleted",
  details: [
    "Only rooms in the pool are deleted, never one that was handed out. The garbage collection deletes them 10 to 20",
    "minutes later. Rooms that are requested count as well. Lower MAX_VMR (and POOL_MINIMUM) first: otherwise the gateway",
    "fills the pool up again.",
  ],
  argument: required(number("N", "the number of rooms that stay in the pool", [0, 10_000])),
  options: { yes },
  run: async ({ argument: level, options }, context) => {
    const { terminal, connect, stopping } = context;
    const target = await connect();
    const platform = requirePlatform(target);
    const { pool, provisioning } = target.queues;
    const [pooled, requested] = await Promise.all([pool.count(), provisioning.count()]);
    const amount = Math.min(pooled, pooled + requested - level);
    terminal.print(`The pool has ${count(pooled, "room")}, and ${requested} more are requested.`);
    if (amount <= 0) {
      terminal.print("There is nothing to do.");
      return "ok";
    }
    const { minRooms, maxRooms } = target.settings.pool;
    if (minRooms !== undefined && minRooms > level) {
      terminal.print(
        `POOL_MINIMUM is ${minRooms}, so the gateway would fill the pool up again within five minutes. Lower it first.`,
      );
      return "finding";
    }
    if (maxRooms > level)
      terminal.print(
        `MAX_VMR is ${maxRooms}: a create that finds the pool empty, and bulk create, fill it up again.`,
      );
    if (!options.yes) {
      terminal.print(
        `Would take ${count(amount, "room")} out of the pool and delete them. Do it with --yes.`,
      );
      return "ok";
    }
    const retired = await retireRooms(target, platform, amount, context);
    terminal.print(
      `${count(retired, "room")} will be deleted ${deletionTime(target.settings)}; ${await pool.count()} are in the pool.`,
    );
    if (stopping.aborted) return "interrupted";
    if (retired === amount) return "ok";
    terminal.print(
      "The other names are leased by claims, or their rooms are not ready yet. Run the command again in five minutes.",
    );
    return "finding";
  },
});
