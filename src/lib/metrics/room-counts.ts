/** Counts the gateway's rooms by state and finds rooms that nothing accounts for. */
import type { ConferenceRow } from "../platform/conference-row.ts";
import { parseMarker } from "../rooms/marker.ts";
import { isRoom } from "../rooms/ownership.ts";
import type { MetricsRow } from "./row.ts";

/** What the counts are made from; null if it could not be measured. */
export interface RoomMeasurements {
  readonly rooms: readonly ConferenceRow[] | null;
  /** Names of the running conferences. */
  readonly live: ReadonlySet<string> | null;
  readonly poolDepth: number | null;
  /** Clock milliseconds. */
  readonly now: number;
}

const maxAssignedMilliseconds = 24 * 3600 * 1000;

/**
 * Returns the room columns of the metrics row, null if a count cannot be determined. Unaccounted rooms are pooled
 * rooms beyond the depth of the pool, and rooms that were assigned a day ago and have no running conference.
 */
export function countRooms({
  rooms,
  live,
  poolDepth,
  now,
}: RoomMeasurements): Pick<MetricsRow, "AvailableRooms" | "InUseRooms" | "UnaccountedRooms"> {
  if (rooms === null) return { AvailableRooms: null, InUseRooms: null, UnaccountedRooms: null };
  const ours = rooms.filter(isRoom).flatMap(({ name, description }) => {
    const marker = parseMarker(description);
    return marker ? [{ name, marker }] : [];
  });
  const pooled = ours.filter(({ marker }) => marker.state === "pooled").length;
  const forgotten = ours.filter(
    ({ name, marker }) =>
      marker.state === "assigned" &&
      !(now - Date.parse(marker.since) <= maxAssignedMilliseconds) &&
      live?.has(name) !== true,
  ).length;
  return {
    AvailableRooms: pooled,
    InUseRooms: ours.length - pooled,
    UnaccountedRooms:
      poolDepth === null || live === null ? null : Math.max(0, pooled - poolDepth) + forgotten,
  };
}
