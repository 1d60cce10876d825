/** Formats durations, times and tables. */
import { styleText } from "node:util";
import type { Settings } from "../../src/lib/settings/settings.ts";

/** The time between two runs of the timer. */
export const collectorPauseSeconds = 600;

const units = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Returns a duration in its two largest units, for example `3 h 12 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = units.findIndex(([size]) => whole >= size);
  if (first === -1) return "0 s";
  const [[size, unit], next] = [units[first] ?? [1, "s"], units[first + 1]];
  const rest = next && size > 60 ? Math.floor((whole % size) / next[0]) : 0;
  return `${Math.floor(whole / size)} ${unit}${next && rest > 0 ? ` ${rest} ${next[1]}` : ""}`;
}

/** Returns the time since a date, or `unknown` if it cannot be parsed. */
export function age(since: string, now: number): string {
  const seconds = (now - Date.parse(since)) / 1000;
  return Number.isNaN(seconds) ? "unknown" : duration(seconds);
}

/** Returns a time as the screen shows it: `2026-01-02 03:04:05 UTC`. */
export function screenTime(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Returns `1 room` or `2 rooms`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${amount === 1 ? noun : `${noun}s`}`;
}

/** Returns the rows with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Returns when garbage collection will delete a room that is queued now, for example `in 10 min to 20 min`. */
export function deletionTime({ garbage }: Pick<Settings, "garbage">): string {
  return `in ${duration(garbage.minAgeSeconds)} to ${duration(garbage.minAgeSeconds + collectorPauseSeconds)}`;
}

const marks = { ok: "green", "!!": "red", "??": "yellow" } as const;

/** Returns the beginning of a line on the screen, in colour if the terminal has colours. */
export function mark(state: keyof typeof marks, isScreen: boolean): string {
  return isScreen ? styleText(marks[state], state) : state;
}
