/** The gateway's rooms as the platform shows them at this moment. */
import { type MarkedRoom, markedRooms } from "../../../src/lib/pool/room.ts";
import type { Platform } from "../target/target.ts";

export const roomStates = ["pooled", "assigned", "live"] as const;

export interface RoomView extends MarkedRoom {
  /** `live` if a conference is running in an assigned or pooled room. */
  readonly state: (typeof roomStates)[number];
}

/** Returns the rooms with the marker, by state and, within a state, the oldest first. */
export async function readRooms({ conferences, status }: Platform): Promise<RoomView[]> {
  const [rows, live] = await Promise.all([conferences.list(), status.liveConferences()]);
  return markedRooms(rows)
    .map(({ name, marker }): RoomView => ({ name, marker, state: live.has(name) ? "live" : marker.state }))
    .toSorted((one, other) => rank(one) - rank(other) || (one.marker.since < other.marker.since ? -1 : 1));
}

function rank({ state }: RoomView): number {
  return roomStates.indexOf(state);
}
