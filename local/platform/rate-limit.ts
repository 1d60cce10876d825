/** The platform's limit on requests in a minute. */

const windowMilliseconds = 60_000;

/**
 * Counts calls in fixed windows of 60 seconds. The function it gives returns undefined while a call is
 * within `limit` (null is no limit), otherwise the seconds until the window ends.
 */
export function createRateLimit(now: () => number): (limit: number | null) => number | undefined {
  let windowStart = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (limit) => {
    if (now() - windowStart >= windowMilliseconds) {
      windowStart = now();
      count = 0;
    }
    count += 1;
    if (limit === null || count <= limit) return undefined;
    return Math.max(1, Math.ceil((windowStart + windowMilliseconds - now()) / 1000));
  };
}
