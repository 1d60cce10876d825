/** Events of the platform: which rooms have ended, and that nothing odd in them stops the sink. */
import fc from "fast-check";
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

test("the name of an ended room is taken from data.name", () => {
  const event = ended({ name: "room-a", conference: "other", service_type: "conference" });
  expect(readEvents(event)).toEqual({ endedRooms: ["room-a"], ignored: [], unusable: 0 });
});

test.each([
  { conference: "room-a" },
  { name: null, conference: "room-a" },
  { name: "", conference: "room-a" },
])("where data.name is absent (%j), data.conference is taken", (data) => {
  expect(readEvents(ended(data)).endedRooms).toEqual(["room-a"]);
});

test.each([
  "conference_started",
  "participant_disconnected",
  "eventsink_started",
  "future_event",
  "Conference_Ended",
  "",
])("an event %j is ignored", (event) => {
  expect(readEvents({ event, data: { name: "room-a" } })).toEqual({
    endedRooms: [],
    ignored: [event],
    unusable: 0,
  });
});

test.each([{}, { event: 5 }, { event: null }, { data: { name: "room-a" } }])(
  "%j has no kind, and is ignored",
  (body) => {
    expect(readEvents(body)).toEqual({ endedRooms: [], ignored: ["unnamed"], unusable: 0 });
  },
);

test.each(["gateway", "two_stage_dialing", "test_call", "media_playback"])(
  "an ended %s was no room",
  (service_type) => {
    expect(readEvents(ended({ name: "room-a", service_type }))).toEqual({
      endedRooms: [],
      ignored: ["conference_ended"],
      unusable: 0,
    });
  },
);

test.each(["conference", "lecture", "future_type", "", null, 5])(
  "service type %j does not hinder",
  (service_type) => {
    expect(readEvents(ended({ name: "room-a", service_type })).endedRooms).toEqual(["room-a"]);
  },
);

test.each([
  undefined,
  null,
  "text",
  5,
  [],
  [{ name: "x" }],
  {},
  { name: 5 },
  { name: ["x"] },
  { name: "\u0000" },
])("odd data (%j) is counted as unusable", (data) => {
  expect(readEvents(ended(data))).toEqual({ endedRooms: [], ignored: [], unusable: 1 });
});

describe("a bulk envelope", () => {
  const bulk = (data: unknown) => ({ event: "eventsink_bulk", data });

  test("gives each ended room once, and counts the rest", () => {
    const events = [
      ended({ name: "room-a" }),
      { event: "conference_started", data: { name: "room-b" } },
      ended({ name: "room-b" }),
      ended({ conference: "room-a" }),
      ended({}),
      null,
      "text",
    ];
    expect(readEvents(bulk(events))).toEqual({
      endedRooms: ["room-a", "room-b"],
      ignored: ["conference_started", "unnamed", "unnamed"],
      unusable: 1,
    });
  });

  test.each([undefined, null, {}, "text", []])("with %j in it is empty", (data) => {
    expect(readEvents(bulk(data))).toEqual({ endedRooms: [], ignored: [], unusable: 0 });
  });

  test("inside another is not opened", () => {
    const inner = bulk([ended({ name: "room-a" })]);
    expect(readEvents(bulk([inner]))).toEqual({ endedRooms: [], ignored: ["eventsink_bulk"], unusable: 0 });
  });
});

test.each([
  ["one character", "x", true],
  ["250 characters", "x".repeat(250), true],
  ["251 characters", "x".repeat(251), false],
  ["nothing", "", false],
  ["a line break and a tab", "a\n\tb", true],
  ["a carriage return, which XML would fold", "a\rb", false],
  ["a control character", "a\u0001", false],
  ["half of a surrogate pair", "a\ud800", false],
  ["a character beyond 16 bits", "🏠", true],
  ["a noncharacter", "\uffff", false],
  ["the other noncharacter", "\ufffe", false],
  ["a vertical tab", "a\u000b", false],
  ["the last control character", "a\u001f", false],
  ["a number", 5, false],
])("a name of %s", (_, name, isUsable) => {
  expect(isUsableName(name)).toBe(isUsable);
});

test("a long kind is cut for the log", () => {
  expect(readEvents({ event: "x".repeat(10_000) }).ignored[0]).toHaveLength(250);
});

test("any JSON object is read without an error, and gives only usable names, each once", () => {
  const event = fc.oneof(
    fc.jsonValue(),
    fc.record({
      event: fc.constant("conference_ended"),
      data: fc.oneof(fc.jsonValue(), fc.record({ name: fc.string() })),
    }),
  );
  const body = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.record({ event: fc.constant("eventsink_bulk"), data: fc.array(event) }),
  );
  fc.assert(
    fc.property(body, (given) => {
      const { endedRooms } = readEvents(given);
      expect(endedRooms.every(isUsableName)).toBe(true);
      expect(new Set(endedRooms).size).toBe(endedRooms.length);
    }),
  );
});
