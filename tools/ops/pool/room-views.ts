/** Lists the gateway's rooms as the platform shows them now. */
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { type MarkedRoom, markedRooms } from "../../../src/lib/pool/room.ts";
import type { Platform } from "../target/target.ts";
import { isTakenOut } from "./retirement.ts";

export const roomStates = ["pooled", "assigned", "live", "waiting"] as const;

export interface RoomView extends MarkedRoom {
  /** `live` if a conference is running; `waiting` if an operator took the room out and it waits for its deletion. */
  readonly state: (typeof roomStates)[number];
}

/** Returns the rooms with the marker, by state and, within a state, the oldest first. */
export async function readRooms({ conferences, status }: Platform): Promise<RoomView[]> {
  const [rows, live] = await Promise.all([conferences.list(), status.liveConferences()]);
  return rows
    .flatMap((row) => viewRoom(row, live.has(row.name)) ?? [])
    .toSorted((one, other) => rank(one) - rank(other) || (one.marker.since < other.marker.since ? -1 : 1));
}

/** Returns the room, or undefined if the conference does not have the gateway's marker. */
export function viewRoom(row: ConferenceRow, isLive: boolean): RoomView | undefined {
  const [room] = markedRooms([row]);
  if (!room) return undefined;
  const state = isTakenOut(row) ? "waiting" : room.marker.state;
  return { ...room, state: isLive ? "live" : state };
}

function rank({ state }: RoomView): number {
  return roomStates.indexOf(state);
}
