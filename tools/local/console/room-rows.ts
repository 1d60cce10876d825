/** Determines the state of each room. PINs and tags stay here: only whether there is a tag is passed on. */
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import { isTakenOut } from "../../log/taken-out.ts";
import type { PlatformSimulator } from "../../simulators/platform/platform-simulator.ts";
import type { RoomRow, RoomState } from "./console-state.ts";
import type { Timeline } from "./timeline.ts";

type PlatformRoom = Pick<ReturnType<PlatformSimulator["rooms"]>[number], "name" | "tag" | "description">;
type Conference = ReturnType<PlatformSimulator["switches"]>["conferences"][number];

export interface RoomFacts {
  readonly rooms: readonly PlatformRoom[];
  readonly conferences: readonly Conference[];
  readonly lastStates: ReturnType<Timeline["lastStates"]>;
  readonly poolReadyDelaySeconds: number;
  readonly garbageMinimumAgeSeconds: number;
  readonly now: number;
}

/** Returns a row for each of the gateway's rooms. */
export function toRoomRows(facts: RoomFacts): RoomRow[] {
  return facts.rooms.flatMap((room) => {
    const marker = parseMarker(room.description);
    if (!marker) return [];
    const { name, tag } = room;
    const conference = facts.conferences.find((one) => one.name === name);
    const { nodes = [], participants = [], startedAt } = conference ?? {};
    const [state, since]: [RoomState, number] =
      startedAt === undefined
        ? stateOf(room, { ...marker, since: Date.parse(marker.since) }, facts)
        : ["live", startedAt];
    return {
      name,
      state,
      since,
      hasTag: tag !== "",
      nodes,
      participants: participants.map((one) => one.name),
    };
  });
}

function stateOf(
  room: PlatformRoom,
  marker: { readonly state: "pooled" | "assigned"; readonly since: number },
  { lastStates, now, poolReadyDelaySeconds, garbageMinimumAgeSeconds }: RoomFacts,
): [RoomState, number] {
  // A room that an operator took out of the pool has no conference, and no line of the app's log says that it is queued.
  const last = lastStates.get(room.name);
  const end = last?.state === "ended" ? last.time : isTakenOut(room) ? marker.since : undefined;
  if (end !== undefined && end >= marker.since) {
    const dueAt = end + garbageMinimumAgeSeconds * 1000;
    return now >= dueAt ? ["deleting", dueAt] : ["ended", end];
  }
  if (marker.state === "assigned") return ["assigned", marker.since];
  const readyAt = marker.since + poolReadyDelaySeconds * 1000;
  return now >= readyAt ? ["pooled", readyAt] : ["provisioning", marker.since];
}
