/** DELETE /room/bulk/: its success, and that rooms may remain. */
import { expect, test } from "vitest";
import { failure } from "../support/failure-responses.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

test("Returns 204 when all rooms are deleted, and 503 with Retry-After while one remains", async () => {
  for (const name of ["a-room", "b-room", "c-room"]) await world.addPooled(name);
  const { id } = world.room("b-room") ?? {};
  world.platform.addFault({ status: 409, method: "DELETE", pathPattern: `/${id}/$` });
  const incomplete = failure("bulk-delete-incomplete", { "retry-after": "30" });
  expect(await world.call("bulkDeleteRooms")).toMatchObject(incomplete);
  expect(world.roomNames()).toEqual(["b-room"]);
  world.platform.clearFaults();
  expect(await world.call("bulkDeleteRooms")).toMatchObject({ status: 204, text: "" });
  expect([world.roomNames(), world.pool.texts()]).toEqual([[], []]);
});
