/** Determines the state of each room. */
import type { RoomRow, RoomState } from "./console-state.ts";
import type { Conference, PlatformRoom } from "./stack-data.ts";

export interface RoomFacts {
  readonly rooms: readonly PlatformRoom[];
  readonly conferences: readonly Conference[];
  readonly queuedForDeletionAt: (room: string) => number | undefined;
  readonly poolReadyDelaySeconds: number;
  readonly garbageMinimumAgeSeconds: number;
  readonly now: number;
}

/**
 * Returns a row for each of the gateway's rooms. `previous` are the rows of the last call: a room that stays in
 * its state keeps its start.
 */
export function toRoomRows(facts: RoomFacts, previous: ReadonlyMap<string, RoomRow>): RoomRow[] {
  return facts.rooms.flatMap((room) => {
    const before = previous.get(room.name);
    if (!room.marker && !before) return [];
    const conference = facts.conferences.find(({ name }) => name === room.name);
    const { state, since } = stateOf(room, conference, facts);
    return {
      name: room.name,
      state,
      since: before?.state === state ? before.since : since,
      ...(room.marker?.state === "pooled" && { madeAt: Date.parse(room.marker.since) }),
      ...(room.marker?.state === "assigned" && { assignedAt: Date.parse(room.marker.since) }),
      hasTag: room.hasTag,
      nodes: conference?.nodes ?? [],
      participants: conference?.participants ?? [],
    };
  });
}

function stateOf(
  { name, marker, isTakenOut }: PlatformRoom,
  conference: Conference | undefined,
  facts: RoomFacts,
): { state: RoomState; since: number } {
  const { now } = facts;
  if (conference) return { state: "live", since: now };
  const markedAt = marker ? Date.parse(marker.since) : now;
  // A room that an operator took out of the pool has no conference, and no line of the app's log says that it is queued.
  const endedAt = facts.queuedForDeletionAt(name) ?? (isTakenOut ? markedAt : undefined);
  if (endedAt !== undefined && endedAt >= markedAt) {
    const dueAt = endedAt + facts.garbageMinimumAgeSeconds * 1000;
    return now >= dueAt ? { state: "deleting", since: dueAt } : { state: "ended", since: endedAt };
  }
  if (marker?.state === "assigned") return { state: "assigned", since: markedAt };
  const readyAt = markedAt + facts.poolReadyDelaySeconds * 1000;
  return now >= readyAt ? { state: "pooled", since: readyAt } : { state: "provisioning", since: markedAt };
}
