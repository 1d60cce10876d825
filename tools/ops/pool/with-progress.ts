/** Progress bars for work on several rooms, and for waits. */
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/lib/ports.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import type { Context } from "../operator-program.ts";
import type { Platform, Target } from "../target/target.ts";
import { createCommandLog } from "../terminal/terminal.ts";
import { createRetirement } from "./retirement.ts";

/**
 * Takes up to `amount` rooms out of the pool and queues them for deletion; they are not replaced. Returns how many there
 * were: fewer if the pool has no more, or if the command is interrupted. Throws what `retire` throws.
 */
export async function retireRooms(
  target: Target,
  platform: Platform,
  { amount, command }: { readonly amount: number; readonly command: string },
  { terminal, stopping }: Pick<Context, "terminal" | "stopping">,
): Promise<number> {
  const progress = createProgress(terminal.progress, "rooms taken out of the pool", amount);
  const retirement = createRetirement({
    ...target.queues,
    ...platform,
    settings: target.settings,
    replenishment: undefined,
    command,
    operator: await target.operatorId(),
    maxHeld: 0,
    clock: systemClock,
    log: createCommandLog(terminal),
  });
  let retired = 0;
  try {
    progress.show(0);
    while (retired < amount && !stopping.aborted) {
      if ((await retirement.retire(() => true)) === undefined) break;
      retired += 1;
      progress.show(retired);
    }
  } finally {
    progress.end();
  }
  return retired;
}

interface Waiting {
  /** The unit that the bar counts. */
  readonly label: string;
  readonly total: number;
  readonly timeoutSeconds: number;
  /** Returns the amount reached. */
  readonly read: () => Promise<number>;
}

const pauseMilliseconds = 1000;

/** Returns true when the total is reached, and false after the timeout or an interruption. */
export async function waitFor(
  { label, total, timeoutSeconds, read }: Waiting,
  { terminal, stopping }: Pick<Context, "terminal" | "stopping">,
): Promise<boolean> {
  const until = Date.now() + timeoutSeconds * 1000;
  const progress = createProgress(terminal.progress, label, total);
  try {
    for (;;) {
      const done = await read();
      progress.show(Math.max(0, Math.min(done, total)));
      if (done >= total) return true;
      if (stopping.aborted || Date.now() >= until) return false;
      await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    }
  } finally {
    progress.end();
  }
}
