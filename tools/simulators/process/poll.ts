/** Polls until a condition holds. */
import { setTimeout as delay } from "node:timers/promises";

export interface PollOptions {
  /** The condition, for the error message. */
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly pauseMilliseconds?: number;
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Calls `ask` until it returns something other than undefined, and returns that. Throws after the timeout, and at once
 * if `stopping` aborts.
 */
export async function poll<Answer>(
  ask: () => Promise<Answer | undefined>,
  { description, timeoutSeconds, pauseMilliseconds = 200, stopping }: PollOptions,
): Promise<Answer> {
  const until = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    stopping?.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() >= until)
      throw new Error(`timed out after ${timeoutSeconds} seconds waiting for ${description}`);
    await delay(pauseMilliseconds, undefined, { ...(stopping && { signal: stopping }) });
  }
}
