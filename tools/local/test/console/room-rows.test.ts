/** The state that the console shows for a room. */
import { expect, test } from "vitest";
import { type RoomFacts, toRoomRows } from "../../console/room-rows.ts";

const now = Date.parse("2026-01-02T10:00:00Z");
const secondsAgo = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface Given {
  readonly markedSecondsAgo?: number;
  readonly marker?: "pooled" | "assigned" | "none";
  readonly endedSecondsAgo?: number;
  readonly isLive?: boolean;
}

function rowOf({ markedSecondsAgo = 600, marker = "assigned", ...given }: Given) {
  const facts: RoomFacts = {
    rooms: [
      {
        name: "room",
        hasTag: true,
        isTakenOut: false,
        marker:
          marker === "none"
            ? undefined
            : { gateway: "vmr-gateway", state: marker, since: secondsAgo(markedSecondsAgo) },
      },
    ],
    conferences: given.isLive ? [{ name: "room", nodes: ["10.0.0.21"], participants: [] }] : [],
    queuedForDeletionAt: () =>
      given.endedSecondsAgo === undefined ? undefined : now - given.endedSecondsAgo * 1000,
    poolReadyDelaySeconds: 90,
    garbageMinimumAgeSeconds: 30,
    now,
  };
  return toRoomRows(facts, new Map())[0];
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
  ["live while its conference runs", { isLive: true }, "live", 0],
  ["ended when it is queued for deletion", { endedSecondsAgo: 29 }, "ended", 29],
  ["being deleted when its deletion is due", { endedSecondsAgo: 35 }, "deleting", 5],
  ["live if a new conference has started after the end", { endedSecondsAgo: 5, isLive: true }, "live", 0],
  ["assigned if it was handed out after the end", { endedSecondsAgo: 700 }, "assigned", 600],
] as const)("A room is %s", (_, given, state, secondsInState) => {
  expect(rowOf(given)).toMatchObject({ state, since: now - secondsInState * 1000 });
});

test("A room without a marker that was never the gateway's is not shown", () => {
  expect(rowOf({ marker: "none" })).toBeUndefined();
});
