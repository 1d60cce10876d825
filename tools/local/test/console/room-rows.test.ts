/** The state that the console shows for a room. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../../test/support/markers.ts";
import { withTakenOut } from "../../../ops/pool/taken-out.ts";
import { toRoomRows } from "../../console/room-rows.ts";

const now = Date.parse("2026-01-02T10:00:00Z");

const secondsAgo = (seconds: number): number => now - seconds * 1000;

// When the marker was written, and when the conference started or the end was queued, in seconds before now.
test.each([
  ["being provisioned until the nodes know it", "pooled", 89, {}, ["provisioning", 89]],
  ["pooled when the delay is over", "pooled", 100, {}, ["pooled", 10]],
  ["assigned when it has been handed out", "assigned", 40, {}, ["assigned", 40]],
  ["ended when it is queued for deletion", "assigned", 600, { ended: 29 }, ["ended", 29]],
  ["being deleted when its deletion is due", "assigned", 600, { ended: 35 }, ["deleting", 5]],
  ["live if a new conference has started", "assigned", 600, { ended: 5, live: 3 }, ["live", 3]],
  ["ended when an operator took it out of the pool", "assigned", 20, { isTakenOut: true }, ["ended", 20]],
  ["assigned if it was handed out after the end", "assigned", 600, { ended: 700 }, ["assigned", 600]],
] as const)("A room is %s", (_, marked, marker, given, [state, since]) => {
  const { live, ended, isTakenOut }: { live?: number; ended?: number; isTakenOut?: boolean } = given;
  const written = new Date(secondsAgo(marker)).toISOString();
  const description = formatMarker({ state: marked, since: written, messageId: "1" });
  const participants = [{ name: "Agent", node: "a" }];
  const conference = { name: "room", startedAt: secondsAgo(live ?? 0), nodes: ["a", "b"], participants };
  const [row, ...others] = toRoomRows({
    rooms: [
      {
        name: "room",
        tag: "tag",
        description: isTakenOut ? withTakenOut(description, "shrink") : description,
      },
      { name: "other", tag: "", description },
      { name: "by hand", tag: "", description: "not the gateway's" },
    ],
    conferences: live === undefined ? [] : [conference],
    lastStates: new Map(ended === undefined ? [] : [["room", { state: "ended", time: secondsAgo(ended) }]]),
    poolReadyDelaySeconds: 90,
    garbageMinimumAgeSeconds: 30,
    now,
  });
  expect(others).toMatchObject([{ name: "other", hasTag: false, participants: [] }]);
  expect(row).toMatchObject({ name: "room", hasTag: true, state, since: secondsAgo(since) });
});
