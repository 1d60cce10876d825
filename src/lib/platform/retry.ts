/** Repeats calls to the platform where a repetition cannot do harm, honouring `Retry-After`. */
import type { Clock } from "../clock.ts";
import type { RandomSource } from "../random.ts";
import type { PlatformAnswer, PlatformCall, PlatformClient } from "./client.ts";
import { PlatformError } from "./platform-error.ts";

const maxAttempts = 3;
const firstDelayMilliseconds = 100;
// Somebody waits for the answer: a longer pause is the caller's to make.
const maxDelayMilliseconds = 2000;

/** At most three attempts. Reads and deletes are repeated unless they timed out, writes only when nothing happened. */
export function withRetries(client: PlatformClient, clock: Clock, random: RandomSource): PlatformClient {
  const retry =
    (call: PlatformClient["call"]) =>
    async (request: PlatformCall): Promise<PlatformAnswer> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await call(request);
        } catch (error) {
          const delay = attempt < maxAttempts ? delayBefore(request, error, attempt, random) : undefined;
          const isTooLate = clock.now() + (delay ?? 0) >= (request.startBefore ?? Number.POSITIVE_INFINITY);
          if (delay === undefined || isTooLate) throw error;
          await clock.sleep(delay);
        }
      }
    };
  return { call: retry(client.call), background: { call: retry(client.background.call) } };
}

function delayBefore(
  { method }: PlatformCall,
  error: unknown,
  attempt: number,
  random: RandomSource,
): number | undefined {
  if (!(error instanceof PlatformError) || error.code === "platform-timeout") return undefined;
  const nothingHappened = error.outcome === "not-sent" || error.platformStatus === 429;
  const isRepeatable = error.outcome === "unknown" && (method === "GET" || method === "DELETE");
  if (!nothingHappened && !isRepeatable) return undefined;
  const backOff = firstDelayMilliseconds * 4 ** (attempt - 1) * (0.5 + random.integerBelow(1000) / 1000);
  const asked = error.hasRetryAfter ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0;
  const delay = Math.max(backOff, asked);
  return delay <= maxDelayMilliseconds ? delay : undefined;
}
