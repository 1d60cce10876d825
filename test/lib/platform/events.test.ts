/** Platform events: which rooms have ended; malformed events do not stop the sink. */
import { describe, expect, test } from "vitest";
import { isUsableName, readEvents } from "../../../src/lib/platform/events.ts";

const ended = (data: unknown) => ({
  event: "conference_ended",
  data,
  node: "10.0.0.21",
  seq: 1,
  version: 1,
  time: 1,
});

test("readEvents takes the name of an ended room from data.name", () => {
  const event = ended({ name: "room-a", conference: "other", service_type: "future_type" });
  expect(readEvents(event)).toEqual({ endedRoomNames: ["room-a"], ignored: [], unusable: 0 });
});

test.each([
  { conference: "room-a" },
  { name: null, conference: "room-a" },
  { name: "", conference: "room-a" },
])("readEvents takes data.conference if data.name is missing (%j)", (data) => {
  expect(readEvents(ended(data)).endedRoomNames).toEqual(["room-a"]);
});

test.each([
  ["conference_started", "conference_started"],
  ["Conference_Ended", "Conference_Ended"],
  [5, "unnamed"],
  [undefined, "unnamed"],
  ["x".repeat(10_000), "x".repeat(250)],
])("readEvents ignores an event %j, and returns the kind for the log", (event, kind) => {
  const ignored = { endedRoomNames: [], ignored: [kind], unusable: 0 };
  expect(readEvents({ event, data: { name: "room-a" } })).toEqual(ignored);
});

test.each(["gateway", "two_stage_dialing", "test_call", "media_playback"])(
  "readEvents ignores an ended %s, which is not a room",
  (service_type) => {
    expect(readEvents(ended({ name: "room-a", service_type }))).toEqual({
      endedRoomNames: [],
      ignored: ["conference_ended"],
      unusable: 0,
    });
  },
);

test.each([
  [undefined],
  [null],
  ["text"],
  [[{ name: "x" }]],
  [{ service_type: "conference" }],
  [{ name: "", conference: null }],
  [{ name: 5 }],
])("readEvents counts an unusable event if its data are %j", (data) => {
  expect(readEvents(ended(data))).toEqual({ endedRoomNames: [], ignored: [], unusable: 1 });
});

describe("a bulk envelope", () => {
  const bulk = (data: unknown) => ({ event: "eventsink_bulk", data });

  test("is read as ended rooms without duplicates, ignored kinds and unusable events", () => {
    const events = [
      ended({ name: "room-a" }),
      { event: "conference_started", data: { name: "room-b" } },
      ended({ name: "room-b" }),
      ended({ conference: "room-a" }),
      ended({}),
      ended({ name: 5 }),
      ended({}),
      null,
      "text",
    ];
    expect(readEvents(bulk(events))).toEqual({
      endedRoomNames: ["room-a", "room-b"],
      ignored: ["conference_started", "unnamed", "unnamed"],
      unusable: 3,
    });
  });

  test.each([null, {}, []])("with %j as data is empty", (data) => {
    expect(readEvents(bulk(data))).toEqual({ endedRoomNames: [], ignored: [], unusable: 0 });
  });

  test("inside another one is ignored", () => {
    const inner = bulk([ended({ name: "room-a" })]);
    expect(readEvents(bulk([inner]))).toEqual({
      endedRoomNames: [],
      ignored: ["eventsink_bulk"],
      unusable: 0,
    });
  });
});

test.each([
  ["250 characters", "x".repeat(250), true],
  ["251 characters", "x".repeat(251), false],
  ["no characters", "", false],
  ["a line break and a tab", "a\n\tb", true],
  ["a carriage return, which XML normalises", "a\rb", false],
  ["a control character", "a\u0001", false],
  ["half of a surrogate pair", "a\ud800", false],
  ["a character of two UTF-16 units", "🏠", true],
  ["a noncharacter", "\uffff", false],
  ["the other noncharacter", "\ufffe", false],
  ["a vertical tab", "a\u000b", false],
  ["the last control character", "a\u001f", false],
  ["a number", 5, false],
])("isUsableName for %s", (_, name, isUsable) => {
  expect(isUsableName(name)).toBe(isUsable);
});
