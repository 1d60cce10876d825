/** Takes rooms out of the pool, and waits, with a progress bar. */
import { setTimeout as delay } from "node:timers/promises";
import { GatewayError } from "../../../src/lib/errors.ts";
import { count } from "../../terminal/format.ts";
import { createProgress } from "../../terminal/progress.ts";
import type { Context } from "../operator-program.ts";
import type { TargetWithPlatform } from "../target/target.ts";
import { createCommandLog, withProgress } from "../terminal/terminal.ts";
import { createRetirement, type RetirementOptions } from "./retirement.ts";

/** Which rooms to take out of the pool, and what to do about each. */
interface Taking extends Pick<RetirementOptions, "command" | "replenishment" | "maxHeld"> {
  readonly amount: number;
  readonly chooses: (room: string) => boolean;
}

/**
 * Takes rooms out of the pool one after the other and queues them for deletion. Returns how many there were: fewer if
 * the pool has no more, or if the command is interrupted. `onTaken` is told after each. Throws what `retire` throws.
 */
export async function takeOut(
  target: TargetWithPlatform,
  { amount, chooses, ...taking }: Taking,
  { terminal, stopping }: Context,
  onTaken: (taken: number) => void = () => undefined,
): Promise<number> {
  const retirement = createRetirement({
    ...target.queues,
    ...target.platform,
    ...taking,
    settings: target.settings,
    clock: target.clock,
    operator: await target.operatorId(),
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
        if ((await retirement.retire(chooses)) === undefined) break;
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

/** Takes any rooms out of the pool, which are not replaced, with a progress bar. */
export async function makeSmaller(
  target: TargetWithPlatform,
  command: string,
  amount: number,
  context: Context,
): Promise<number> {
  const taking = { amount, command, chooses: () => true, maxHeld: 0, replenishment: undefined };
  return withProgress(context.terminal, "rooms taken out of the pool", amount, async (show) =>
    takeOut(target, taking, context, show),
  );
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

/** Waits a second, or until the command is interrupted. */
export async function pause({ stopping }: Pick<Context, "stopping">): Promise<void> {
  await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
}

const stallMilliseconds = 10_000;

/** Returns true when the total is reached, and false after the timeout or an interruption. */
export async function waitFor(
  { label, total, timeoutSeconds, read, whyStalled }: Waiting,
  context: Context,
): Promise<boolean> {
  const { terminal, stopping } = context;
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
      await pause(context);
    }
  } finally {
    progress.end();
  }
}
