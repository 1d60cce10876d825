/** Lists the gateway's rooms as the platform shows them now. */

import {
  decodeRoomMessage,
  type MarkedRoom,
  type Marker,
  parseMarker,
} from "../../../src/lib/ownership/room.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { age, count, table } from "../../terminal/format.ts";
import type { Platform, Target, TargetWithPlatform } from "../gateway/target.ts";
import { isTakenOut } from "./taken-out.ts";

export const roomStates = ["pooled", "assigned", "live", "waiting"] as const;

export interface RoomView extends MarkedRoom {
  /** `live` if a conference is running; `waiting` if an operator took the room out and it waits for its deletion. */
  readonly state: (typeof roomStates)[number];
}

/** Returns the rooms with the marker of this gateway, by state and, within a state, the oldest first. */
export async function readRooms({ platform, settings }: TargetWithPlatform): Promise<RoomView[]> {
  return (await readAllRooms(platform)).filter(({ marker }) => marker.gateway === settings.rooms.gatewayName);
}

/** Returns the rooms with the marker of any gateway, in the same order. */
export async function readAllRooms({ conferences, status }: Platform): Promise<RoomView[]> {
  const [rows, live] = await Promise.all([conferences.list(), status.liveConferences()]);
  return rows
    .flatMap((row) => viewRoom(row, live.has(row.name)) ?? [])
    .toSorted((one, other) => rank(one) - rank(other) || (one.marker.since < other.marker.since ? -1 : 1));
}

/** Returns the room, or undefined if the conference has no gateway's marker. */
export function viewRoom(row: ConferenceRow, isLive: boolean): RoomView | undefined {
  const marker = parseMarker(row.description);
  if (!marker) return undefined;
  const state = isTakenOut(row) ? "waiting" : marker.state;
  return { name: row.name, marker, state: isLive ? "live" : state };
}

/** Returns the lines of a table with each room's name, its state, and for how long it has been marked. */
export function tableOf(rooms: readonly RoomView[], now: number): readonly string[] {
  const rows = rooms.map(({ name, state, marker }) => [name, state, age(marker.since, now)]);
  return table([["NAME", "STATE", "SINCE"], ...rows]);
}

/** Returns for example `25 rooms of the gateway production`, or undefined if there is no room of another gateway. */
export function describeOthers(markers: readonly Marker[], gatewayName: string): string | undefined {
  const others = markers.map(({ gateway }) => gateway).filter((gateway) => gateway !== gatewayName);
  const parts = [...new Set(others)].toSorted().map((gateway) => {
    const rooms = others.filter((other) => other === gateway).length;
    return `${count(rooms, "room")} of the gateway ${gateway}`;
  });
  return parts.length === 0 ? undefined : parts.join(", ");
}

/**
 * Returns the names of rooms that visibly wait for their deletion. Queued again, a room would wait for the full time.
 */
export async function namesToDelete({ queues }: Target): Promise<Set<string>> {
  return new Set((await queues.deletion.peek()).map(({ text }) => decodeRoomMessage(text).room));
}

function rank({ state }: RoomView): number {
  return roomStates.indexOf(state);
}
