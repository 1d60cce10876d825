/** Takes rooms out of the pool, and waits, with a progress bar. */

import { count } from "../../terminal/format.ts";
import { createProgress } from "../../terminal/progress.ts";
import type { Context } from "../operator-program.ts";
import type { Target, TargetWithPlatform } from "../target/target.ts";
import { createCommandLog, withProgress } from "../terminal/terminal.ts";
import { type RetirementOptions, retireRoom } from "./retirement.ts";

/** Prints and returns how many rooms the pool has, and how many are requested. */
export async function showPool({ queues }: Target, { terminal }: Context) {
  const [pooled, requested] = await Promise.all([queues.pool.count(), queues.provisioning.count()]);
  terminal.print(`The pool has ${count(pooled, "room")}, and ${requested} more are requested.`);
  return { pooled, requested };
}

/** What a command may take out of the pool next. */
interface Next extends Pick<RetirementOptions, "chooses" | "maxHeld"> {
  /** How many names are to leave the pool. */
  readonly amount: number;
  /** How much of the total is still to do. */
  readonly left: number;
  /** How long it tries again if there is none to take out. */
  readonly maxWaitSeconds: number;
}

interface Taking extends Pick<RetirementOptions, "command" | "replenishment"> {
  /** The unit that the bar counts. */
  readonly label: string;
  readonly total: number;
  /** Is asked before each step. `done` is how many names have left the pool. */
  readonly next: (done: number) => Promise<Next>;
}

/**
 * Takes rooms out of the pool and has them deleted, step by step. Returns how many, and what is left of the total, which
 * is more than 0 if the pool has no more or if the command is interrupted. Throws what `retireRoom` throws.
 */
export async function takeOut(
  target: TargetWithPlatform,
  { command, replenishment, label, total, next }: Taking,
  { terminal, stopping }: Context,
) {
  const { queues, platform, settings, clock } = target;
  const operator = await target.operatorId();
  const log = createCommandLog(terminal);
  const common = { ...queues, ...platform, settings, clock, replenishment, command, operator, log };
  let [taken, dropped, left] = [0, 0, total];
  await withProgress(terminal, label, total, async (show) => {
    for (let waitSince = clock.now(); !stopping.aborted; ) {
      const { maxWaitSeconds, amount, ...step } = await next(taken + dropped);
      left = step.left;
      show(Math.max(0, total - left));
      if (left === 0) return;
      const done = taken + dropped;
      while (taken + dropped < done + amount && !stopping.aborted) {
        const outcome = await retireRoom({ ...common, ...step });
        if (outcome === "none") break;
        if (outcome === "dropped") dropped += 1;
        if (outcome !== "retired") continue;
        taken += 1;
        left -= 1;
        show(Math.max(0, total - left));
      }
      if (taken + dropped > done) waitSince = clock.now();
      else if (clock.now() >= waitSince + maxWaitSeconds * 1000) return;
      else await pause(target, { stopping });
    }
  });
  if (dropped > 0) terminal.remark(`${count(dropped, "name")} that could not be used dropped from the pool.`);
  return { taken, left };
}

/** Takes any rooms out of the pool, which are not replaced. Returns how many. */
export async function makeSmaller(
  target: TargetWithPlatform,
  command: string,
  amount: number,
  context: Context,
): Promise<number> {
  const next = async (done: number) => ({ amount: amount - done, left: amount - done, maxWaitSeconds: 0 });
  const taking = { command, replenishment: undefined, label: "rooms taken out of the pool", total: amount };
  return (await takeOut(target, { ...taking, next }, context)).taken;
}

interface Waiting {
  /** The unit that the bar counts. */
  readonly label: string;
  readonly total: number;
  readonly timeoutMinutes: number;
  /** Returns the amount reached. */
  readonly read: () => Promise<number>;
  /** Returns why there is no progress, if it is known. It is asked after ten seconds without progress. */
  readonly whyStalled?: () => Promise<string | undefined>;
}

const pauseMilliseconds = 1000;

/** Waits a second, or until the command is interrupted. */
async function pause({ clock }: Pick<Target, "clock">, { stopping }: Pick<Context, "stopping">) {
  await clock.sleep(pauseMilliseconds, stopping).catch(() => undefined);
}

const stallMilliseconds = 10_000;

/** Returns true when the total is reached, and false after the timeout or an interruption. */
export async function waitFor(
  target: Pick<Target, "clock">,
  { label, total, timeoutMinutes, read, whyStalled }: Waiting,
  { terminal, stopping }: Context,
): Promise<boolean> {
  const { clock } = target;
  const until = clock.now() + timeoutMinutes * 60_000;
  const progress = createProgress(terminal.progress, label, total);
  let [most, sinceMost] = [-1, clock.now()];
  let shownReason: string | undefined;
  try {
    for (;;) {
      const done = await read();
      progress.show(Math.max(0, Math.min(done, total)));
      if (done > most) [most, sinceMost] = [done, clock.now()];
      const reason = clock.now() - sinceMost < stallMilliseconds ? undefined : await whyStalled?.();
      if (reason !== undefined && reason !== shownReason) {
        progress.end();
        terminal.remark(reason);
        shownReason = reason;
      }
      if (done >= total) return true;
      if (stopping.aborted || clock.now() >= until) return false;
      await pause(target, { stopping });
    }
  } finally {
    progress.end();
  }
}
