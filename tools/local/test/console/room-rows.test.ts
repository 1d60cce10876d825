/** The state that the console shows for a room. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../../test/support/markers.ts";
import { withTakenOut } from "../../../log/taken-out.ts";
import { toRoomRows } from "../../console/room-rows.ts";

const now = Date.parse("2026-01-02T10:00:00Z");

test.each([
  ["being provisioned until the nodes know it", "pooled", 89, {}, ["provisioning", 89]],
  ["pooled when the delay is over", "pooled", 100, {}, ["pooled", 10]],
  ["assigned when it has been handed out", "assigned", 40, {}, ["assigned", 40]],
  ["live while its conference runs", "assigned", 600, { live: 3 }, ["live", 3]],
  ["ended when it is queued for deletion", "assigned", 600, { ended: 29 }, ["ended", 29]],
  ["being deleted when its deletion is due", "assigned", 600, { ended: 35 }, ["deleting", 5]],
  ["live if a new conference has started", "assigned", 600, { ended: 5, live: 3 }, ["live", 3]],
  ["ended when an operator took it out of the pool", "assigned", 20, { takenOut: true }, ["ended", 20]],
  ["assigned if it was handed out after the end", "assigned", 600, { ended: 700 }, ["assigned", 600]],
] as const)("A room is %s", (_, marked, markedSecondsAgo, given, [state, secondsInState]) => {
  const facts: { live?: number; ended?: number; takenOut?: boolean } = given;
  const since = new Date(now - markedSecondsAgo * 1000).toISOString();
  const marker = formatMarker({ state: marked, since, messageId: "1" });
  const description = facts.takenOut ? withTakenOut(marker, "shrink") : marker;
  const ended = { state: "ended", time: now - (facts.ended ?? 0) * 1000 } as const;
  const startedAt = now - (facts.live ?? 0) * 1000;
  const conference = {
    startedAt,
    nodes: ["10.0.0.21"],
    participants: [{ name: "Agent", node: "10.0.0.21" }],
  };
  const rows = toRoomRows({
    rooms: [
      { name: "room", tag: "tag", description },
      { name: "other", tag: "", description: marker },
      { name: "by hand", tag: "", description: "not the gateway's" },
    ],
    conferences: facts.live === undefined ? [] : [{ name: "room", ...conference }],
    lastStates: new Map(facts.ended === undefined ? [] : [["room", ended]]),
    poolReadyDelaySeconds: 90,
    garbageMinimumAgeSeconds: 30,
    now,
  });
  expect(rows.map(({ name, hasTag }) => [name, hasTag])).toEqual([
    ["room", true],
    ["other", false],
  ]);
  expect(rows[0]).toMatchObject({ state, since: now - secondsInState * 1000 });
  expect(rows[0]?.participants).toEqual(state === "live" ? ["Agent"] : []);
});
