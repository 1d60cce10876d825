/** The load that the gateway's log shows. */
import { type LogCount, type LogLine, type LogReader, refusedCreate } from "../target/target.ts";

/** One of these is counted for each caller who gets a room or finds none. */
export const claimEvents = ["room-claimed", "pool-empty", refusedCreate] as const;
/** The beginning and the end of the time in which a caller uses a room. */
const conferenceEvents = ["room-claimed", "room-queued-for-deletion"];
const binMinutes = 15;

/** Returns the load of the last days, or undefined if nobody has called. Throws what the log throws. */
export async function measureLoad(log: LogReader, days: number) {
  const hours = 24 * days;
  const [counts, lines] = await Promise.all([
    log.counts({ hours, events: claimEvents }, binMinutes),
    log.lines({ hours, events: conferenceEvents }),
  ]);
  const callers = sum(counts);
  if (callers === 0) return undefined;
  const byDay = Map.groupBy(counts, ({ time }) => time.slice(0, "2030-01-01".length));
  const byBin = Map.groupBy(counts, ({ time }) => Date.parse(time));
  const busiest = (bins: number): number => {
    const from = (time: number) =>
      Array.from({ length: bins }, (_, bin) => byBin.get(time + bin * binMinutes * 60_000) ?? []);
    return Math.max(...[...byBin.keys()].map((time) => sum(from(time).flat())));
  };
  return {
    /** Callers of the busiest day, of UTC. */
    perDay: Math.max(...[...byDay.values()].map(sum)),
    /** Callers of the busiest hour. */
    perHour: busiest(60 / binMinutes),
    /** Callers of the busiest quarter of an hour, per hour. */
    busiestPerHour: busiest(1) * (60 / binMinutes),
    callers,
    /** Callers who found the pool empty. */
    empty: sum(counts.filter(({ event }) => event === "pool-empty")),
    /** Callers who were refused, for example because the platform was down. Each attempt counts. */
    refused: sum(counts.filter(({ event }) => event === refusedCreate)),
    /** Mean minutes from a room's hand-out to its conference's end; undefined if no room has both. */
    conferenceMinutes: meanMinutes(lines),
  };
}

function sum(counts: readonly LogCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function meanMinutes(lines: readonly LogLine[]): number | undefined {
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
  return minutes.length === 0 ? undefined : minutes.reduce((total, one) => total + one, 0) / minutes.length;
}
