/** The load that the gateway's log shows. */
import { type LogCount, type LogLine, refusedCreate } from "../target/target.ts";

export interface MeasuredLoad {
  /** Callers per hour, averaged over the busiest day. */
  readonly perHour: number;
  /** The busiest quarter of an hour, as a multiple of that average; at least 1. */
  readonly peak: number;
  readonly callers: number;
  /** Callers who found the pool empty. */
  readonly empty: number;
  /** Callers who were refused, for example because the platform was down. Each attempt counts. */
  readonly refused: number;
}

/** One of these is counted for each caller who gets a room or finds none. */
export const claimEvents = ["room-claimed", "pool-empty", refusedCreate] as const;
/** The beginning and the end of the time in which a caller uses a room. */
export const conferenceEvents = ["room-claimed", "room-queued-for-deletion"];

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
  const of = (event: string): number => sum(counts.filter((one) => one.event === event));
  const callers = sum(counts);
  if (callers === 0) return undefined;
  const perHour = Math.max(...byDay.values()) / 24;
  return {
    perHour,
    peak: Math.max(1, (Math.max(...byBin.values()) * (60 / binMinutes)) / perHour),
    callers,
    empty: of("pool-empty"),
    refused: of(refusedCreate),
  };
}

/** Returns the mean minutes from a room's hand-out to its conference's end, or undefined if no room has both. */
export function measureConferenceMinutes(lines: readonly LogLine[]): number | undefined {
  const claimedAt = new Map<unknown, number>();
  const minutes: number[] = [];
  for (const { time, fields } of lines) {
    const { event, room } = fields;
    const from = claimedAt.get(room);
    if (event === "room-claimed") claimedAt.set(room, Date.parse(time));
    else if (from !== undefined) {
      claimedAt.delete(room);
      minutes.push((Date.parse(time) - from) / 60_000);
    }
  }
  if (minutes.length === 0) return undefined;
  return minutes.reduce((total, one) => total + one, 0) / minutes.length;
}
