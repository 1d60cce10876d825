/** Repeats failed platform calls where that is safe. */
import type { Clock, RandomSource } from "../ports.ts";
import type { Call, PlatformCall, PlatformCalls } from "./client.ts";
import { PlatformError } from "./errors.ts";

const maxAttempts = 3;
const firstDelayMilliseconds = 100;
// A caller that waits for the response can make a longer pause itself.
const maxDelayMilliseconds = 2000;

/**
 * Wraps a client so that each call has up to three attempts. GET and DELETE are retried unless they timed out; other
 * calls only if nothing happened on the platform. Throws the last attempt's error.
 */
export function withRetries(client: PlatformCalls, clock: Clock, random: RandomSource): PlatformCalls {
  const retry =
    (call: Call): Call =>
    async (request) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await call(request);
        } catch (error) {
          if (!(error instanceof PlatformError) || attempt >= maxAttempts || !mayRetry(request, error))
            throw error;
          const backOff =
            firstDelayMilliseconds * 4 ** (attempt - 1) * (0.5 + random.integerBelow(1000) / 1000);
          const requested = error.hasRetryAfter ? (error.details.retryAfterSeconds ?? 0) * 1000 : 0;
          const delay = Math.max(backOff, requested);
          const isTooLate = clock.now() + delay >= (request.startBefore ?? Number.POSITIVE_INFINITY);
          if (delay > maxDelayMilliseconds || isTooLate) throw error;
          await clock.sleep(delay);
        }
      }
    };
  return { call: retry(client.call), background: { call: retry(client.background.call) } };
}

function mayRetry({ method }: PlatformCall, error: PlatformError): boolean {
  if (error.code === "platform-timeout") return false;
  if (error.outcome === "not-sent" || error.platformStatus === 429) return true;
  return error.outcome === "unknown" && (method === "GET" || method === "DELETE");
}
