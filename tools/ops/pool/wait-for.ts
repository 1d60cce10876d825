/** Waits for a number to be reached, with a progress bar. */
import { setTimeout as delay } from "node:timers/promises";
import { createProgress } from "../../local/terminal/progress.ts";
import type { Context } from "../operator-program.ts";

export interface Waiting {
  /** What the bar counts. */
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
