/** Progress bars for work on several rooms, and for waits. */
import { setTimeout as delay } from "node:timers/promises";
import { GatewayError } from "../../../src/lib/errors.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import type { Context } from "../operator-program.ts";
import type { Platform, Target } from "../target/target.ts";
import { count } from "../terminal/format.ts";
import { createCommandLog } from "../terminal/terminal.ts";
import { createRetirement, type RetirementOptions } from "./retirement.ts";

/** Which rooms to take out of the pool, and what to do about each. */
interface Taking {
  readonly amount: number;
  readonly command: string;
  /** The names to take; all of them if it is missing. Others may be held back meanwhile, up to `maxHeld` at once. */
  readonly chosen?: ReadonlySet<string>;
  readonly maxHeld?: number;
  /** Requests the replacement of a room. Missing if the pool becomes smaller. */
  readonly replenishment?: RetirementOptions["replenishment"];
}

/**
 * Takes rooms out of the pool one after the other and queues them for deletion. Returns how many there were: fewer if
 * the pool has no more, or if the command is interrupted. `onTaken` is told after each. Throws what `retire` throws.
 */
export async function takeOut(
  target: Target,
  platform: Platform,
  { amount, command, chosen, maxHeld = 0, replenishment }: Taking,
  { terminal, stopping }: Pick<Context, "terminal" | "stopping">,
  onTaken: (taken: number) => void = () => undefined,
): Promise<number> {
  const retirement = createRetirement({
    ...target.queues,
    ...platform,
    settings: target.settings,
    replenishment,
    command,
    operator: await target.operatorId(),
    maxHeld,
    clock: target.clock,
    log: createCommandLog(terminal, ({ event }) => {
      if (event === "room-discarded") dropped += 1;
    }),
  });
  let taken = 0;
  let dropped = 0;
  try {
    while (taken + dropped < amount && !stopping.aborted) {
      const droppedBefore = dropped;
      try {
        if ((await retirement.retire((room) => chosen?.has(room) ?? true)) === undefined) break;
        taken += 1;
        onTaken(taken);
      } catch (error) {
        // It gives up after ten names without rooms, which are no longer in the pool.
        const hasGivenUp = error instanceof GatewayError && error.code === "claim-failed";
        if (!hasGivenUp || dropped === droppedBefore) throw error;
      }
    }
  } finally {
    await retirement.release();
  }
  if (dropped > 0) terminal.remark(`${count(dropped, "name")} that could not be used dropped from the pool.`);
  return taken;
}

/** Takes rooms out of the pool, which are not replaced, with a progress bar. */
export async function takeOutWithProgress(
  target: Target,
  platform: Platform,
  taking: Pick<Taking, "amount" | "command">,
  context: Pick<Context, "terminal" | "stopping">,
): Promise<number> {
  const progress = createProgress(context.terminal.progress, "rooms taken out of the pool", taking.amount);
  try {
    progress.show(0);
    return await takeOut(target, platform, taking, context, (taken) => progress.show(taken));
  } finally {
    progress.end();
  }
}

interface Waiting {
  /** The unit that the bar counts. */
  readonly label: string;
  readonly total: number;
  readonly timeoutSeconds: number;
  /** Returns the amount reached. */
  readonly read: () => Promise<number>;
  /** Returns why there is no progress, if it is known. It is asked after ten seconds without progress. */
  readonly whyStalled?: () => Promise<string | undefined>;
}

const pauseMilliseconds = 1000;
const stallMilliseconds = 10_000;

/** Returns true when the total is reached, and false after the timeout or an interruption. */
export async function waitFor(
  { label, total, timeoutSeconds, read, whyStalled }: Waiting,
  { terminal, stopping }: Pick<Context, "terminal" | "stopping">,
): Promise<boolean> {
  const until = Date.now() + timeoutSeconds * 1000;
  const progress = createProgress(terminal.progress, label, total);
  let [most, sinceMost] = [-1, Date.now()];
  let shownReason: string | undefined;
  try {
    for (;;) {
      const done = await read();
      progress.show(Math.max(0, Math.min(done, total)));
      if (done > most) [most, sinceMost] = [done, Date.now()];
      const reason = Date.now() - sinceMost < stallMilliseconds ? undefined : await whyStalled?.();
      if (reason !== undefined && reason !== shownReason) {
        progress.end();
        terminal.remark(reason);
        shownReason = reason;
      }
      if (done >= total) return true;
      if (stopping.aborted || Date.now() >= until) return false;
      await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    }
  } finally {
    progress.end();
  }
}
