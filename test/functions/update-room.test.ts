/** PATCH /room/{room_name}: unknown fields. */
import { expect, test } from "vitest";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const patch = async (json: unknown) => world.call("updateRoom", { roomName: "a-room", json });

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
