/** Shows times, and the colour of a room's state. */

/** Returns the local time of day, with seconds. */
export function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString("en-GB");
}

/** Returns the style that gives an element the colour of a room's state. */
export function stateStyle(state: string): Record<string, string> {
  return { "--state": `var(--${state})` };
}
