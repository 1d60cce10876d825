/** Counts the gateway's rooms by state. */
import type { MarkedRoom } from "../pool/marked-rooms.ts";
import type { MetricsRow } from "./row.ts";

type RoomColumns = Pick<MetricsRow, "AvailableRooms" | "InUseRooms" | "OutdatedRooms">;

/**
 * Returns the room columns of the metrics row; all are null if the rooms could not be read. Outdated rooms are pooled
 * rooms with another fingerprint than new rooms have, or without any.
 */
export function countRooms(rooms: readonly MarkedRoom[] | null, fingerprint: string): RoomColumns {
  if (rooms === null) return { AvailableRooms: null, InUseRooms: null, OutdatedRooms: null };
  const pooled = rooms.filter(({ marker }) => marker.state === "pooled");
  return {
    AvailableRooms: pooled.length,
    InUseRooms: rooms.length - pooled.length,
    OutdatedRooms: pooled.filter(({ marker }) => marker.fingerprint !== fingerprint).length,
  };
}
