/** DELETE /room/{room_name}: its success, and a room that does not exist. */
import { expect, test } from "vitest";
import { failure } from "../support/failure-responses.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const callDelete = async (roomName = "a-room") => world.call("deleteRoom", { roomName });

test("Returns 204, deletes the room on the platform at once and keeps the others", async () => {
  world.addRoom("a-room");
  world.addRoom("another-room");
  expect(await callDelete()).toMatchObject({ status: 204, text: "" });
  expect(world.room("a-room")).toBeUndefined();
  expect(world.room("another-room")).toBeDefined();
  expect(world.functionLog.join("\n")).toContain("room-deleted");
});

test("Deletes a persistent room, because the caller named it, even if the platform's response is lost", async () => {
  world.addRoom("test_room");
  world.platform.addFault({ status: 500, when: "after", method: "DELETE", count: 1 });
  expect(await callDelete("test_room")).toMatchObject({ status: 204 });
  expect(world.room("test_room")).toBeUndefined();
});

test("Returns 404 without a body for a name that the platform does not know", async () => {
  world.addRoom("a-room");
  expect(await callDelete("nobody")).toMatchObject(failure("room-not-found"));
  expect(world.room("a-room")).toBeDefined();
});
