/** The platform's limit on requests per minute. */

const windowMilliseconds = 60_000;

/** Creates a limit with fixed windows of 60 s, each starting with its first call. */
export function createRateLimit(now: () => number) {
  let windowStart = Number.NEGATIVE_INFINITY;
  let calls = 0;
  return {
    /** Counts a call. Returns undefined within `limit` (null means none), otherwise the seconds until the window ends. */
    count: (limit: number | null): number | undefined => {
      if (now() - windowStart >= windowMilliseconds) {
        windowStart = now();
        calls = 0;
      }
      calls += 1;
      if (limit === null || calls <= limit) return undefined;
      return Math.max(1, Math.ceil((windowStart + windowMilliseconds - now()) / 1000));
    },
    clear: () => {
      calls = 0;
    },
  };
}
