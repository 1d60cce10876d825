/** What the page shows of the state and of responses, for users who see it and in the texts for those who do not. */
import { expect, test } from "vitest";
import type { HistoryPoint, RoomRow, RoomState, TimelineEntry } from "../../console/console-state.ts";
import {
  countOutages,
  describeResponse,
  inOrder,
  markedRooms,
  scaleOf,
  shownEntries,
  summedCounts,
  usableRooms,
} from "../../console/view.ts";

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
const inUse = ["live", "newer", "older", "ended", "due"];

test("Rooms in use are listed first, and of each state the youngest first", () => {
  expect(inOrder(rooms).map(({ name }) => name)).toEqual([...inUse, "new", "pooled"]);
});

test.each([
  { given: "", chosen: "live", usable: inUse },
  { given: "older", chosen: "older", usable: inUse },
  { given: "pooled", chosen: "pooled", usable: [...inUse, "pooled"] },
  { given: "deleted", chosen: "live", usable: inUse },
])("If the room '$given' was chosen last, actions are about '$chosen'", ({ given, chosen, usable }) => {
  const found = usableRooms(rooms, given);
  expect([found.chosen, found.usable.map(({ name }) => name)]).toEqual([chosen, usable]);
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
const entries = [
  entryOf("outage", {}),
  entryOf("first", { rooms: ["a", "b"], correlationId: "1" }),
  entryOf("second", { rooms: ["b"], correlationId: "2" }),
];

test.each([
  { is: "nothing", chosen: undefined, ids: ["second", "first", "outage"], marked: [undefined] },
  { is: "a room", chosen: "b", ids: ["second", "first"], marked: ["b"] },
  { is: "a request", chosen: "1", ids: ["first"], marked: ["1", "a", "b"] },
])("If $is is chosen, its entries are shown, and its rooms are marked", ({ chosen, ids, marked }) => {
  expect(shownEntries(entries, chosen).map(({ id }) => id)).toEqual(ids);
  expect(markedRooms(entries, chosen)).toEqual(marked);
});

test("The page shows the newest 150 entries, the newest first", () => {
  const shown = shownEntries(Array.from({ length: 200 }, (_, index) => entryOf(`${index}`, {})));
  expect([shown.length, shown[0]?.id, shown.at(-1)?.id]).toEqual([150, "199", "50"]);
});

test("The charts count each outage once, and add up the states", () => {
  const counts = { provisioning: 1, pooled: 2, assigned: 3, live: 4, ended: 5, deleting: 6 };
  const points = [true, true, false, true].map(
    (isOutage, time): HistoryPoint => ({ time, isOutage, counts }),
  );
  expect(countOutages(points)).toBe(2);
  const sums = summedCounts(points.slice(0, 1)).map(({ state, values }) => [state, ...values]);
  expect(sums).toEqual(Object.keys(counts).map((state, index) => [state, [1, 3, 6, 10, 15, 21][index]]));
});

test.each([
  { highest: "nothing", values: [], top: 5, levels: [0, 5] },
  { highest: "20", values: [3, 20, 4], top: 23, levels: [0, 10, 20] },
  { highest: "100", values: [100], top: 115, levels: [0, 30, 60, 90] },
])(
  "A chart whose highest value is $highest reaches up to $top, with lines at multiples of five",
  ({ values, top, levels }) => {
    expect(scaleOf(values).top).toBeCloseTo(top);
    expect(scaleOf(values).levels).toEqual(levels);
  },
);

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
