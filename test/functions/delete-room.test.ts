/** DELETE /room/{room_name}: a persistent room, and a platform that does not find the room that it shows. */
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

test.each([
  ["still shows it", 200],
  ["fails the next look-up", 500],
])("Returns 503 if the platform returns 404 for a room and %s", async (_, status) => {
  world.addRoom("room-a");
  const body = { meta: { total_count: 1 }, objects: [world.room("room-a")] };
  world.platform.addFault({ status: 404, method: "DELETE", count: 1 });
  world.platform.addFault({ status: 200, body, method: "GET", count: 1 });
  world.platform.addFault({ status, body, method: "GET" });
  const response = await world.call("deleteRoom", { roomName: "room-a" });
  expect(response).toMatchObject({ status: 503, code: "platform-unavailable" });
  expect(world.functionLog.join("\n")).not.toContain('"room-deleted"');
});
