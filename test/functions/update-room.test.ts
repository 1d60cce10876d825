/** PATCH /room/{room_name}: every status it can return. */
import { expect, test } from "vitest";
import { failure } from "../support/failure-responses.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const patch = async (json: unknown, roomName = "a-room") => world.call("updateRoom", { roomName, json });

test("Returns 202 without a body after it has changed the room on the platform", async () => {
  world.addRoom("a-room");
  const change = { participant_limit: 7, guests_can_present: false };
  expect(await patch(change)).toMatchObject({ status: 202, text: "" });
  expect(world.room("a-room")).toMatchObject(change);
});

test("Accepts the response of GET and changes nothing", async () => {
  world.addRoom("a-room", { ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/" });
  const before = world.room("a-room");
  const query = { constrained_attributes: "false" };
  const { json } = await world.call("getRoom", { roomName: "a-room", query });
  expect(await patch(json)).toMatchObject({ status: 202 });
  expect(world.room("a-room")).toEqual(before);
});

test("Returns 422 for unknown fields, and does not name them if there are more than 200", async () => {
  world.addRoom("a-room");
  for (const [count, fault] of [
    [200, { type: "extra_forbidden", loc: ["body", "x0"] }],
    [201, { type: "value_error", loc: ["body"] }],
  ] as const) {
    const fields = Array.from({ length: count }, (_, index) => [`x${index}`, 0]);
    expect(await patch(Object.fromEntries(fields))).toMatchObject({
      status: 422,
      json: { detail: { 0: fault } },
    });
  }
});

test("Returns 404 without a body for a name that the platform does not know", async () => {
  expect(await patch({ participant_limit: 7 }, "nobody")).toMatchObject(failure("room-not-found"));
});
