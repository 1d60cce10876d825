/** `ops fill`: fills the pool up to a number of rooms. */
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { defineCommand } from "../command.ts";
import { number, withDefault } from "../options.ts";
import { waitFor } from "../pool/wait-for.ts";
import { count, duration } from "../terminal/format.ts";

export const fill = defineCommand({
  name: "fill",
  summary: "requests the rooms that the pool lacks, and waits for them",
  details: [
    "The gateway provisions them in the background, as after POST /room/bulk/, also if this command is interrupted.",
    "Requested rooms count, so it is safe to run it again.",
  ],
  argument: number("N", "the number of rooms in the pool (default: MAX_VMR)", [1, 10_000]),
  options: {
    "timeout-minutes": withDefault(number("N", "how long to wait; 0 does not wait", [0, 1440]), 15),
  },
  run: async ({ argument, options }, context) => {
    const { terminal, connect, stopping } = context;
    const target = await connect();
    const { queues, settings } = target;
    const { maxRooms, readyDelaySeconds } = settings.pool;
    const level = argument ?? maxRooms;
    if (level === 0) {
      terminal.print("MAX_VMR is 0, which switches the pool off. There is nothing to do.");
      return "ok";
    }
    const requested = await createReplenishment({ ...queues, maxRooms }).fillUpTo(level);
    const [pooled, pending] = await Promise.all([queues.pool.count(), queues.provisioning.count()]);
    terminal.print(
      `${count(requested, "room")} requested; the pool has ${pooled} of ${level}, and ${pending} are pending.`,
    );
    const isFull = await waitFor(
      {
        label: "rooms in the pool",
        total: level,
        timeoutSeconds: options["timeout-minutes"] * 60,
        read: async () => queues.pool.count(),
      },
      context,
    );
    if (isFull) {
      terminal.print(
        `The pool is full. A new room can be handed out ${duration(readyDelaySeconds)} after it was made.`,
      );
      return "ok";
    }
    if (options["timeout-minutes"] === 0) return "ok";
    if (stopping.aborted) return "interrupted";
    terminal.print("The pool is not full yet. If it does not grow: docs/operations.md#provisioning-failing.");
    return "finding";
  },
});
