/** PATCH /room/{room_name}: the response of a GET, and unknown fields. */
import { expect, test } from "vitest";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const patch = async (json: unknown) => world.call("updateRoom", { roomName: "a-room", json });

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
