/** The simulator's time: a clock that can be moved forward, and the two forms in which the platform writes time. */

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly advance: (seconds: number) => void;
}

/** A clock on top of `base`, which defaults to the computer's own. */
export function createClock(base: () => number = Date.now): Clock {
  let offsetMilliseconds = 0;
  return {
    now: () => base() + offsetMilliseconds,
    advance: (seconds) => {
      offsetMilliseconds += seconds * 1000;
    },
  };
}

/** UTC without a zone and with microseconds, `2026-04-01T15:58:06.714000`; a whole second has no fraction. */
export function naiveTimestamp(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  const fraction = text.slice(20, 23);
  return fraction === "000" ? text.slice(0, 19) : `${text.slice(0, 23)}000`;
}

/** Seconds since 1970 with a fraction, as events carry them. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
