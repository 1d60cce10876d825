/** Retries calls to the platform if a retry is safe, and honours `Retry-After`. */
import type { Clock, RandomSource } from "../ports.ts";
import type { PlatformCall, PlatformClient, PlatformResponse } from "./client.ts";
import { PlatformError } from "./platform-error.ts";

const maxAttempts = 3;
const firstDelayMilliseconds = 100;
// A caller waits for the response and can make a longer pause itself.
const maxDelayMilliseconds = 2000;

/**
 * Wraps a client so that each call has up to three attempts. GET and DELETE are retried unless they timed out; other
 * calls only if nothing happened on the platform. Throws the last attempt's error.
 */
export function withRetries(client: PlatformClient, clock: Clock, random: RandomSource): PlatformClient {
  const retry =
    (call: PlatformClient["call"]) =>
    async (request: PlatformCall): Promise<PlatformResponse> => {
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

/** Returns the milliseconds to wait before the next attempt, or undefined if there must not be one. */
function delayBefore(
  { method }: PlatformCall,
  error: unknown,
  attempt: number,
  random: RandomSource,
): number | undefined {
  if (!(error instanceof PlatformError) || error.code === "platform-timeout") return undefined;
  const nothingHappened = error.outcome === "not-sent" || error.platformStatus === 429;
  const isSafeToRetry = error.outcome === "unknown" && (method === "GET" || method === "DELETE");
  if (!nothingHappened && !isSafeToRetry) return undefined;
  const backOff = firstDelayMilliseconds * 4 ** (attempt - 1) * (0.5 + random.integerBelow(1000) / 1000);
  const requestedDelay = error.hasRetryAfter ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0;
  const delay = Math.max(backOff, requestedDelay);
  return delay <= maxDelayMilliseconds ? delay : undefined;
}
