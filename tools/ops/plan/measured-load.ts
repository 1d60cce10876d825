/** The load that the gateway's log shows. */
import type { LogCount } from "../target/target.ts";

export interface MeasuredLoad {
  /** Callers per hour, averaged over the busiest day. */
  readonly perHour: number;
  /** The busiest quarter of an hour, as a multiple of that average; at least 1. */
  readonly peak: number;
  readonly callers: number;
  /** Callers who found the pool empty. */
  readonly empty: number;
}

/** One of these is logged for each caller who gets a room or finds none. */
export const claimEvents = ["room-claimed", "pool-empty"] as const;

export const binMinutes = 15;

/** Returns the load, or undefined if nobody has called. A day is a day of UTC. */
export function measureLoad(counts: readonly LogCount[]): MeasuredLoad | undefined {
  const byBin = new Map<string, number>();
  const byDay = new Map<string, number>();
  for (const { time, count } of counts) {
    byBin.set(time, (byBin.get(time) ?? 0) + count);
    const day = time.slice(0, "2030-01-01".length);
    byDay.set(day, (byDay.get(day) ?? 0) + count);
  }
  const sum = (some: readonly LogCount[]): number => some.reduce((total, { count }) => total + count, 0);
  const callers = sum(counts);
  if (callers === 0) return undefined;
  const perHour = Math.max(...byDay.values()) / 24;
  return {
    perHour,
    peak: Math.max(1, (Math.max(...byBin.values()) * (60 / binMinutes)) / perHour),
    callers,
    empty: sum(counts.filter(({ event }) => event === "pool-empty")),
  };
}
