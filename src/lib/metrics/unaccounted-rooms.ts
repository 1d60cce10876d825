/** Rooms that nothing accounts for: finds them, and logs those that can be named. */
import type { Log } from "../log.ts";
import type { MarkedRoom } from "../pool/marked-rooms.ts";

const millisecondsPerHour = 3600_000;
const maxAssignedHours = 24;
const maxNamedRooms = 100;

/** The unaccounted rooms of one run. */
export interface UnaccountedRooms {
  /** Assigned rooms without a running conference, the oldest first. */
  readonly forgotten: readonly ForgottenRoom[];
  /** How many rooms are marked `pooled` beyond the depth of the pool. Which of them are in no queue is unknown. */
  readonly beyondPool: number;
}

export interface ForgottenRoom {
  readonly room: string;
  readonly reason: "assigned-too-long" | "assigned-at-unknown-time";
  readonly ageHours: number | null;
}

/** What unaccounted rooms are determined from; null if it could not be measured. */
export interface RoomMeasurements {
  readonly rooms: readonly MarkedRoom[] | null;
  /** Names of the running conferences. */
  readonly live: ReadonlySet<string> | null;
  readonly poolDepth: number | null;
  /** Clock milliseconds. */
  readonly now: number;
}

/**
 * Returns the pooled rooms beyond the depth of the pool, and the rooms that were assigned a day ago and have no running
 * conference. Returns null if a measurement is missing.
 */
export function findUnaccounted({ rooms, live, poolDepth, now }: RoomMeasurements): UnaccountedRooms | null {
  if (rooms === null || live === null || poolDepth === null) return null;
  const pooled = rooms.filter(({ marker }) => marker.state === "pooled").length;
  const forgotten = rooms
    .filter(({ name, marker }) => marker.state === "assigned" && !live.has(name))
    .flatMap(({ name, marker }) => describeForgotten(name, now - Date.parse(marker.since)))
    .toSorted((one, other) => (other.ageHours ?? 0) - (one.ageHours ?? 0));
  return { forgotten, beyondPool: Math.max(0, pooled - poolDepth) };
}

function describeForgotten(room: string, ageMilliseconds: number): ForgottenRoom[] {
  const hours = ageMilliseconds / millisecondsPerHour;
  if (Number.isNaN(hours)) return [{ room, reason: "assigned-at-unknown-time", ageHours: null }];
  if (hours <= maxAssignedHours) return [];
  return [{ room, reason: "assigned-too-long", ageHours: Math.floor(hours * 10) / 10 }];
}

/** Logs one line for each of up to 100 forgotten rooms, and one line with the number of all others. */
export function logUnaccounted({ forgotten, beyondPool }: UnaccountedRooms, log: Log): void {
  for (const { room, reason, ageHours } of forgotten.slice(0, maxNamedRooms))
    log.warn("room-unaccounted", { room, reason, ageHours });
  const notListed = Math.max(0, forgotten.length - maxNamedRooms);
  const count = notListed + beyondPool;
  if (count > 0) log.warn("rooms-unaccounted-unnamed", { count, notListed, beyondPool });
}
