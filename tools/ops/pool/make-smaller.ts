/** Takes rooms out of the pool, with a progress bar. */

import { count } from "../../terminal/format.ts";
import type { Target, TargetWithPlatform } from "../gateway/target.ts";
import type { Context } from "../operator-program.ts";
import { silentLog as log, withProgress } from "../terminal.ts";
import { retireRoom } from "./retirement.ts";

/** Prints and returns how many rooms the pool has, and how many are requested. */
export async function showPool({ queues }: Target, { terminal }: Context) {
  const [pooled, requested] = await Promise.all([queues.pool.count(), queues.provisioning.count()]);
  terminal.print(`The pool has ${count(pooled, "room")}, and ${requested} more are requested.`);
  return { pooled, requested };
}

interface Reduction {
  /** How many rooms to take out. */
  readonly amount: number;
  /** How many rooms stay, requested ones included, even if somebody else makes the pool smaller at the same time. */
  readonly level: number;
}

/**
 * Takes any rooms out of the pool and has them deleted; they are not replaced. Returns how many, which is less than the
 * amount if names lead to no room, if the pool has no more, or if the command is interrupted. Throws what `retireRoom`
 * throws.
 */
export async function makeSmaller(
  target: TargetWithPlatform,
  command: string,
  { amount, level }: Reduction,
  { terminal, stopping }: Context,
): Promise<number> {
  const { queues, platform, settings, clock } = target;
  const operator = await target.operatorId();
  let retired = 0;
  let dropped = 0;
  await withProgress(terminal, "rooms taken out of the pool", amount, async (show) => {
    while (retired + dropped < amount && !stopping.aborted) {
      // Each other operator who does the same may still take one room more.
      const [pooled, requested] = await Promise.all([queues.pool.count(), queues.provisioning.count()]);
      if (pooled + requested <= level) return;
      const outcome = await retireRoom({ ...queues, ...platform, settings, clock, command, operator, log });
      if (outcome === "none") return;
      if (outcome === "retired") retired += 1;
      else dropped += 1;
      show(retired + dropped);
    }
  });
  if (dropped > 0) terminal.remark(`${count(dropped, "name")} that could not be used dropped from the pool.`);
  return retired;
}
