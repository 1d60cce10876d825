/** Formats durations, times and tables. */

/** The time between two runs of the timer. */
export const collectorPauseSeconds = 600;

const units = [
  { seconds: 86_400, name: "d" },
  { seconds: 3600, name: "h" },
  { seconds: 60, name: "min" },
  { seconds: 1, name: "s" },
];

/** Returns a duration in its two largest units, for example `3 h 12 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const largest = units.findIndex(({ seconds: size }) => whole >= size);
  const unit = units[largest];
  if (!unit) return "0 s";
  const amount = `${Math.floor(whole / unit.seconds)} ${unit.name}`;
  const smaller = units[largest + 1];
  // Seconds beside minutes say nothing.
  if (!smaller || smaller.seconds === 1) return amount;
  const rest = Math.floor((whole % unit.seconds) / smaller.seconds);
  return rest > 0 ? `${amount} ${rest} ${smaller.name}` : amount;
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
export function deletionTime({ garbage: { minAgeSeconds } }: { garbage: { minAgeSeconds: number } }): string {
  return `in ${duration(minAgeSeconds)} to ${duration(minAgeSeconds + collectorPauseSeconds)}`;
}
