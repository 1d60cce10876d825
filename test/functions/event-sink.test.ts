/** POST /public/event_sink: every status it can return. */
import { expect, test } from "vitest";
import { usePoolWorld } from "../support/pool-world.ts";

const ended = (name: unknown) => ({ event: "conference_ended", data: { name } });

const world = usePoolWorld();

// The platform does not document the Content-Type that it sends.
test.each(["application/json", "text/plain"])("Returns 204 for %s and queues the room name", async (type) => {
  const sent = { text: JSON.stringify(ended("a-room")), headers: { "content-type": type } };
  expect(await world.call("eventSink", sent)).toMatchObject({ status: 204, text: "" });
  expect(world.deletion.texts()).toEqual(["a-room"]);
  expect(world.functionLog.join("\n")).not.toMatch(/ignored|unusable/);
});

const connected = { event: "participant_connected", data: { conference: "a-room" } };

test.each<[string, unknown, object]>([
  ["an event of another kind", connected, { ignored: 1, kind: "participant_connected" }],
  ["an empty object", {}, { ignored: 1, kind: "unnamed" }],
  ["an unusable name", ended("a\u0001b"), { event: "event-unusable", count: 1 }],
])("Returns 204 for %s, queues nothing and logs why", async (_, event, logged) => {
  expect(await world.call("eventSink", { json: event })).toMatchObject({ status: 204, text: "" });
  expect(world.deletion.texts()).toEqual([]);
  expect(JSON.parse(world.functionLog[0] ?? "")).toMatchObject(logged);
});
