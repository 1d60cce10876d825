/** Decides which failed attempts are retried and after what delay. */
import { type GatewayError, PoolEmptyError, UnavailableError } from "./errors.ts";

const maxRetries = 3;
// A longer wait is left to the caller, who may have somebody waiting.
const maxRetryAfterSeconds = 60;
const maxJitter = 0.25;

/**
 * Returns the seconds to wait before the next attempt: `Retry-After`, otherwise 1, 2 and 4 seconds, plus a random part.
 * Returns undefined if the failure is final. Every operation is safe to retry: reads and deletions by their
 * nature, changes because they set fields to values, filling because it aims at a level, and creates by their key.
 */
export function retryDelaySeconds(error: GatewayError, retries: number, random: number): number | undefined {
  if (retries >= allowedRetries(error)) return undefined;
  const seconds = error.retryAfterSeconds ?? 2 ** retries;
  return seconds > maxRetryAfterSeconds ? undefined : seconds * (1 + random * maxJitter);
}

function allowedRetries(error: GatewayError): number {
  if (error instanceof UnavailableError || error instanceof PoolEmptyError) return maxRetries;
  return error.status === 500 ? 1 : 0;
}
