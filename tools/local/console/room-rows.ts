/** Determines the state of each room. PINs and tags stay here. */
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import { isTakenOut } from "../../ops/pool/taken-out.ts";
import type { Connection } from "../../simulators/connection.ts";
import type { PlatformSimulator } from "../../simulators/platform/platform-simulator.ts";
import type { RoomRow, RoomState } from "./console-state.ts";
import type { Timeline } from "./timeline.ts";

type PlatformRoom = Pick<ReturnType<PlatformSimulator["rooms"]>[number], "name" | "description">;

export interface RoomFacts extends Pick<Connection, "poolReadyDelaySeconds" | "garbageMinimumAgeSeconds"> {
  readonly rooms: readonly PlatformRoom[];
  readonly conferences: ReturnType<PlatformSimulator["switches"]>["conferences"];
  readonly endings: ReturnType<Timeline["endings"]>;
  readonly now: number;
}

/** Returns a row for each of the gateway's rooms. */
export function toRoomRows(facts: RoomFacts): RoomRow[] {
  return facts.rooms.flatMap((room) => {
    const marker = parseMarker(room.description);
    if (!marker) return [];
    const conference = facts.conferences.find(({ name }) => name === room.name);
    const { participants = [], startedAt } = conference ?? {};
    const row = { name: room.name, participants };
    if (startedAt !== undefined) return { ...row, state: "live", since: startedAt };
    const [state, since] = stateOf(room, marker.state, Date.parse(marker.since), facts);
    return { ...row, state, since };
  });
}

function stateOf(
  room: PlatformRoom,
  marked: "pooled" | "assigned",
  markedAt: number,
  { endings, now, poolReadyDelaySeconds, garbageMinimumAgeSeconds }: RoomFacts,
): [RoomState, number] {
  // A room that an operator took out of the pool has no conference, and no line of the app's log says that it is
  // queued.
  const endedAt = endings.get(room.name) ?? (isTakenOut(room) ? markedAt : 0);
  const dueAt = endedAt + garbageMinimumAgeSeconds * 1000;
  if (endedAt >= markedAt) return now >= dueAt ? ["deleting", dueAt] : ["ended", endedAt];
  if (marked === "assigned") return ["assigned", markedAt];
  const readyAt = markedAt + poolReadyDelaySeconds * 1000;
  return now >= readyAt ? ["pooled", readyAt] : ["provisioning", markedAt];
}
