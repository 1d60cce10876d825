/** Shows times, and the colour of a room's state. */

/** Returns the local time of day, with seconds. */
export function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString("en-GB");
}

/** Returns an age in its largest unit: `42 s`, `7 min`, `3 h`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Returns the style that gives an element the colour of a room's state. */
export function stateStyle(state: string): Record<string, string> {
  return { "--state": `var(--${state})` };
}
