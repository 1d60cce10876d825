/** DELETE /room/{room_name}: a persistent room. */
import { expect, test } from "vitest";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

test("Deletes a persistent room, because the caller named it, even if the platform's response is lost", async () => {
  world.addRoom("test_room");
  world.platform.addFault({ status: 500, when: "after", method: "DELETE", count: 1 });
  expect(await world.call("deleteRoom", { roomName: "test_room" })).toMatchObject({ status: 204 });
  expect(world.room("test_room")).toBeUndefined();
  expect(world.functionLog.join("\n")).toMatch(/"room-deleted".*"test_room","wasThere":false/);
});
