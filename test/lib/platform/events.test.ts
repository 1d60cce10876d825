/** Platform events: which rooms have ended; malformed events do not stop the sink. */
import { expect, test } from "vitest";
import { readEvents, type SinkReading } from "../../../src/lib/platform/events.ts";

const ended = (data: unknown) => ({ event: "conference_ended", data, node: "10.0.0.21", seq: 1 });
const endedService = (service_type: string) => ended({ name: "room-a", service_type });
const bulk = (data: unknown) => ({ event: "eventsink_bulk", data });
const roomA = { endedRoomNames: ["room-a"] };
const unusable = { unusable: 1 };

test.each<[string, Readonly<Record<string, unknown>>, Partial<SinkReading>]>([
  ["data.name", ended({ name: "room-a", conference: "other", service_type: "future_type" }), roomA],
  ["data.conference without a name", ended({ conference: "room-a" }), roomA],
  ["data.conference if the name is null", ended({ name: null, conference: "room-a" }), roomA],
  ["data.conference if the name is empty", ended({ name: "", conference: "room-a" }), roomA],
  ["no data", ended(undefined), unusable],
  ["null as data", ended(null), unusable],
  ["text as data", ended("text"), unusable],
  ["a list as data", ended([{ name: "x" }]), unusable],
  ["two empty names", ended({ name: "", conference: "" }), unusable],
  ["a number as name", ended({ name: 5 }), unusable],
  ["another kind", { event: "conference_ended_2", data: { name: "x" } }, { ignored: ["conference_ended_2"] }],
  ["another case", { event: "Conference_Ended", data: { name: "x" } }, { ignored: ["Conference_Ended"] }],
  ["a kind that is not text", { event: 5, data: { name: "x" } }, { ignored: ["unnamed"] }],
  ["a long kind", { event: "x".repeat(10_000) }, { ignored: ["x".repeat(250)] }],
  ["the end of a gateway call", endedService("gateway"), { ignored: ["conference_ended"] }],
  ["the end of a dialogue", endedService("two_stage_dialing"), { ignored: ["conference_ended"] }],
  ["the end of a test call", endedService("test_call"), { ignored: ["conference_ended"] }],
  ["the end of a playback", endedService("media_playback"), { ignored: ["conference_ended"] }],
  ["null in bulk", bulk(null), { unusable: 1 }],
  ["an object in bulk", bulk({ 0: ended({ name: "x" }) }), { unusable: 1 }],
  ["nothing in bulk", bulk([]), {}],
  ["bulk in bulk", bulk([bulk([ended({ name: "x" })])]), { ignored: ["eventsink_bulk"] }],
  [
    "several events in bulk, some of them twice",
    bulk([
      ended({ name: "room-a" }),
      { event: "conference_started", data: { name: "room-b" } },
      ended({ name: "room-b" }),
      ended({ conference: "room-a" }),
      ended({}),
      ended({ name: 5 }),
      null,
      "text",
    ]),
    {
      endedRoomNames: ["room-a", "room-b"],
      ignored: ["conference_started", "unnamed", "unnamed"],
      unusable: 2,
    },
  ],
])("`readEvents` reads an event with %s", (_, event, expected) => {
  expect(readEvents(event)).toEqual({ endedRoomNames: [], ignored: [], unusable: 0, ...expected });
});

test.each([
  ["250 characters", true, "🏠".repeat(250)],
  ["251 characters", false, "x".repeat(251)],
  ["no characters", false, ""],
  ["a line break and a tab", true, "a\n\tb"],
  ["a carriage return, which XML normalises", false, "a\rb"],
  ["a control character", false, "a\u0001"],
  ["half of a surrogate pair", false, "a\ud800"],
  ["a character of two UTF-16 units", true, "🏠"],
  ["a noncharacter", false, "\uffff"],
  ["the other noncharacter", false, "\ufffe"],
  ["a vertical tab", false, "a\u000b"],
  ["the last control character", false, "a\u001f"],
])("A name with %s is usable: %s", (_, isUsable, name) => {
  expect(readEvents(ended({ name })).endedRoomNames).toEqual(isUsable ? [name] : []);
});
