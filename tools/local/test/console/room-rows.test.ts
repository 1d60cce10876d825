/** The state that the console shows for a room. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../../test/support/markers.ts";
import { withTakenOut } from "../../../log/taken-out.ts";
import { toRoomRows } from "../../console/room-rows.ts";

const now = Date.parse("2026-01-02T10:00:00Z");
const secondsAgo = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface Given {
  readonly markedSecondsAgo?: number;
  readonly marker?: "pooled" | "assigned";
  readonly endedSecondsAgo?: number;
  readonly isLive?: boolean;
  readonly isTakenOut?: boolean;
}

function rowOf({ markedSecondsAgo = 600, marker = "assigned", ...given }: Given) {
  const description = formatMarker({ state: marker, since: secondsAgo(markedSecondsAgo), messageId: "1" });
  const [row] = toRoomRows({
    rooms: [
      {
        name: "room",
        tag: "tag",
        description: given.isTakenOut ? withTakenOut(description, "shrink") : description,
      },
      { name: "by hand", tag: "", description: "not the gateway's" },
    ],
    conferences: given.isLive
      ? [{ name: "room", startedAt: now - 3000, nodes: ["10.0.0.21"], participants: [] }]
      : [],
    endedAt: () => (given.endedSecondsAgo === undefined ? undefined : now - given.endedSecondsAgo * 1000),
    poolReadyDelaySeconds: 90,
    garbageMinimumAgeSeconds: 30,
    now,
  });
  return row;
}

test.each([
  [
    "being provisioned until the nodes know it",
    { marker: "pooled", markedSecondsAgo: 89 },
    "provisioning",
    89,
  ],
  ["pooled when the delay is over", { marker: "pooled", markedSecondsAgo: 100 }, "pooled", 10],
  ["assigned when it has been handed out", { markedSecondsAgo: 40 }, "assigned", 40],
  ["live while its conference runs", { isLive: true }, "live", 3],
  ["ended when it is queued for deletion", { endedSecondsAgo: 29 }, "ended", 29],
  ["being deleted when its deletion is due", { endedSecondsAgo: 35 }, "deleting", 5],
  ["live if a new conference has started after the end", { endedSecondsAgo: 5, isLive: true }, "live", 3],
  ["ended when an operator took it out of the pool", { isTakenOut: true, markedSecondsAgo: 20 }, "ended", 20],
  ["assigned if it was handed out after the end", { endedSecondsAgo: 700 }, "assigned", 600],
] as const)("A room is %s", (_, given, state, secondsInState) => {
  expect(rowOf(given)).toEqual({
    name: "room",
    hasTag: true,
    state,
    nodes: expect.any(Array),
    participants: [],
    since: now - secondsInState * 1000,
  });
});
