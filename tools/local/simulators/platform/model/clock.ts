/** The simulator's clock, which can be advanced, and the two time formats of the platform. */

export type Clock = ReturnType<typeof createClock>;

/** Creates a clock based on `base`, which defaults to the system clock. */
export function createClock(base: () => number = Date.now) {
  let offsetMilliseconds = 0;
  return {
    /** Milliseconds since 1970. */
    now: () => base() + offsetMilliseconds,
    advance: (seconds: number) => {
      offsetMilliseconds += seconds * 1000;
    },
    /** How far the clock is ahead of its base. */
    offsetSeconds: () => offsetMilliseconds / 1000,
  };
}

/** Returns UTC without a zone and with microseconds, `2026-04-01T15:58:06.714000`; a whole second has no fraction. */
export function naiveTimestamp(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  const fraction = text.slice(20, 23);
  return fraction === "000" ? text.slice(0, 19) : `${text.slice(0, 23)}000`;
}

/** Returns seconds since 1970 with a fraction, as in events. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
