/** The platform's limit on requests per minute. */

const windowMilliseconds = 60_000;

export interface RateLimit {
  /** Counts a call. Returns undefined within `limit` (null means none), otherwise the seconds until the window ends. */
  readonly count: (limit: number | null) => number | undefined;
  readonly clear: () => void;
}

/** Creates a limit with fixed windows of 60 s, each starting with its first call. */
export function createRateLimit(now: () => number): RateLimit {
  let windowStart = Number.NEGATIVE_INFINITY;
  let calls = 0;
  return {
    count: (limit) => {
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
