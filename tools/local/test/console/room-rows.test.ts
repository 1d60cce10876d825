/** The state that the console shows for a room. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../../test/support/markers.ts";
import { withTakenOut } from "../../../ops/pool/taken-out.ts";
import type { RoomState } from "../../console/console-state.ts";
import { toRoomRows } from "../../console/room-rows.ts";

const now = Date.parse("2026-01-02T10:00:00Z");

/** All in seconds before now. */
interface Row {
  readonly is: string;
  /** When the marker was written, which says one of these. */
  readonly pooled?: number;
  readonly assigned?: number;
  /** When its end was queued. */
  readonly ended?: number;
  /** When its conference started. */
  readonly live?: number;
  readonly isTakenOut?: boolean;
  readonly state: RoomState;
  readonly since: number;
}

const secondsAgo = (seconds: number): number => now - seconds * 1000;

test.each<Row>([
  { is: "being provisioned until the nodes know it", pooled: 89, state: "provisioning", since: 89 },
  { is: "pooled when the delay is over", pooled: 100, state: "pooled", since: 10 },
  { is: "assigned when it has been handed out", assigned: 40, state: "assigned", since: 40 },
  { is: "ended when it is queued for deletion", assigned: 600, ended: 29, state: "ended", since: 29 },
  { is: "being deleted when that is due", assigned: 600, ended: 35, state: "deleting", since: 5 },
  { is: "live if a conference has started", assigned: 600, ended: 5, live: 3, state: "live", since: 3 },
  { is: "ended if taken out of the pool", assigned: 20, isTakenOut: true, state: "ended", since: 20 },
  { is: "assigned if handed out after the end", assigned: 600, ended: 700, state: "assigned", since: 600 },
])("A room is $is", ({ pooled, assigned, live, ended, isTakenOut, state, since }) => {
  const marked = pooled === undefined ? "assigned" : "pooled";
  const written = new Date(secondsAgo(pooled ?? assigned ?? 0)).toISOString();
  const description = formatMarker({ state: marked, since: written, messageId: "1" });
  const conference = { name: "room", startedAt: secondsAgo(live ?? 0), participants: [] };
  const [row, ...others] = toRoomRows({
    rooms: [
      {
        name: "room",
        description: isTakenOut ? withTakenOut(description, "shrink") : description,
      },
      { name: "other", description },
      { name: "by hand", description: "not the gateway's" },
    ],
    conferences: live === undefined ? [] : [conference],
    endings: new Map(ended === undefined ? [] : [["room", secondsAgo(ended)]]),
    poolReadyDelaySeconds: 90,
    garbageMinimumAgeSeconds: 30,
    now,
  });
  expect(others).toMatchObject([{ name: "other", participants: [] }]);
  expect(row).toMatchObject({ name: "room", state, since: secondsAgo(since) });
});
