/** What the page shows of the state and of responses, for users who see it and in the texts for those who do not. */
import { expect, test } from "vitest";
import type { RoomRow, RoomState, TimelineEntry } from "../../console/console-state.ts";
import { describeResponse, inOrder, shownEntries, timeOfDay } from "../../console/view.ts";

const room = (name: string, state: RoomState, since: number): RoomRow => ({
  name,
  state,
  since,
  participants: [],
});
const rooms = [
  room("pooled", "pooled", 9),
  room("new", "provisioning", 8),
  room("due", "deleting", 1),
  room("older", "assigned", 1),
  room("newer", "assigned", 2),
  room("ended", "ended", 3),
  room("live", "live", 1),
];

test("Rooms in use are listed first, and of each state the youngest first", () => {
  expect(inOrder(rooms).map(({ name }) => name)).toEqual([
    "live",
    "newer",
    "older",
    "ended",
    "due",
    "new",
    "pooled",
  ]);
});

const entryOf = (id: string, more: Partial<TimelineEntry>): TimelineEntry => ({
  id,
  time: 1,
  kind: "request",
  tone: "good",
  title: id,
  steps: [],
  rooms: [],
  ...more,
});

test("The newest 150 entries of all rooms or of the chosen one are shown, the newest first", () => {
  const entries = Array.from({ length: 200 }, (_, index) =>
    entryOf(`${index}`, { rooms: index < 9 ? ["a", "b"] : [] }),
  );
  const shown = shownEntries(entries);
  expect([shown.length, shown[0]?.id, shown.at(-1)?.id]).toEqual([150, "199", "50"]);
  const ofRoom = shownEntries(entries, "b");
  expect([ofRoom.length, ofRoom[0]?.id]).toEqual([9, "8"]);
});

test.each<[string, number, string, string | null, string, string?]>([
  ["create", 200, '{"name":"é"}', null, '{\n  "name": "é"\n}', "é"],
  ["create", 404, "", "10", "The pool is empty. Retry in 10 s."],
  ["read", 404, "", null, ""],
  ["create", 503, '{"detail":"Service Unavailable","name":"a"}', "5", "Service Unavailable. Retry in 5 s."],
  ["join", 404, '{"error":"There is no such room."}', null, "There is no such room."],
  ["create", 422, '{"detail":[{}]}', null, '{\n  "detail": [\n    {}\n  ]\n}'],
  ["collect", 202, "", null, ""],
])(
  "The page describes the response to the action %s with the status %d and the body '%s'",
  (id, status, body, retryAfter, text, created) => {
    const room = created === undefined ? {} : { room: created };
    expect(describeResponse(id, { status, text: body, retryAfter })).toEqual({ text, ...room });
  },
);

test("Times are those of the developer's clock", () => {
  expect(timeOfDay(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe("08:34:05");
});
