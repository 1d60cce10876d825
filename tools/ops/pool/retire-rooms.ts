/** Takes several rooms out of the pool one after the other, with a progress bar. */
import { systemClock } from "../../../src/lib/ports.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import type { Context } from "../operator-program.ts";
import type { Platform, Target } from "../target/target.ts";
import { count } from "../terminal/format.ts";
import { createCommandLog } from "../terminal/terminal.ts";
import { createRetirement } from "./retirement.ts";

/**
 * Takes up to `amount` rooms out of the pool and queues them for deletion; they are not replaced. Returns how
 * many there were: fewer if the pool has no more, or if the command is interrupted. Throws what `retire` throws,
 * after reporting its progress.
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
  } catch (error) {
    terminal.remark(
      `Taken out: ${retired} of ${count(amount, "room")}. It is safe to run the command again.`,
    );
    throw error;
  } finally {
    progress.end();
  }
  return retired;
}
