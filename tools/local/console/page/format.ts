/** Shows times and amounts, and reads the page's address: `#/room/NAME` shows one room, `#/request/ID` one request. */
import { useEffect, useState } from "preact/hooks";

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

/** Returns a duration as `38 ms` or `2.4 s`. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Returns the style that gives an element the colour of a room's state. */
export function stateStyle(state: string): Record<string, string> {
  return { "--state": `var(--${state})` };
}

/** Returns an amount with its noun: `1 fault`, `3 faults`. */
export function amount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

export function roomAddress(name: string): string {
  return `#/room/${name}`;
}

/** Returns the room or the request whose life is shown, or undefined on the overview. */
export function usePlace() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  const [, kind, name] = /^#\/(room|request)\/(.+)$/.exec(hash) ?? [];
  return name === undefined ? undefined : { kind, name };
}
