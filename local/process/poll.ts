// Waits for something that can only be asked for.
import { setTimeout as delay } from "node:timers/promises";

export interface PollOptions {
  /** What is waited for, for the error's text. */
  description: string;
  timeoutSeconds: number;
  pauseMilliseconds?: number;
  stopping?: AbortSignal | undefined;
}

/**
 * Asks until the answer is not undefined and returns it. Throws when the time is over, and at once when
 * `stopping` aborts.
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
    if (Date.now() >= until) throw new Error(`Waited ${timeoutSeconds} seconds in vain for: ${description}.`);
    await delay(pauseMilliseconds, undefined, { ...(stopping && { signal: stopping }) });
  }
}
