/** The two time formats of the platform. */

/** Returns UTC without a zone and with microseconds, `2026-04-01T15:58:06.714000`; a whole second has no fraction. */
export function naiveTimestamp(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  return text.slice(20, 23) === "000" ? text.slice(0, 19) : `${text.slice(0, 23)}000`;
}

/** Returns seconds since 1970 with a fraction, as in events. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
