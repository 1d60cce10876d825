/** DELETE /room/{room_name}: every status it can return. */
import { expect, test } from "vitest";
import { deleteRoom } from "../../src/functions/delete-room.ts";
import { failure } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const callDelete = async (roomName = "a-room", query: Record<string, string> = {}) =>
  gateway.call(deleteRoom, { roomName, query });

test("Returns 204, deletes the room on the platform at once and keeps the others", async () => {
  gateway.addRoom("a-room");
  gateway.addRoom("another-room");
  expect(await callDelete()).toMatchObject({ status: 204, text: "" });
  expect(gateway.room("a-room")).toBeUndefined();
  expect(gateway.room("another-room")).toBeDefined();
  expect(gateway.log.join("\n")).toContain("room-deleted");
});

test("Deletes a persistent room, because the caller named it", async () => {
  gateway.addRoom("test_room");
  expect(await callDelete("test_room")).toMatchObject({ status: 204 });
  expect(gateway.room("test_room")).toBeUndefined();
});

test("Returns 404 without a body for a name that the platform does not know", async () => {
  gateway.addRoom("a-room");
  expect(await callDelete("nobody")).toMatchObject(failure("room-not-found"));
  expect(gateway.room("a-room")).toBeDefined();
});

test("Returns 204 if the room was deleted but the platform's response was lost", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 500, when: "after", method: "DELETE", count: 1 });
  expect(await callDelete()).toMatchObject({ status: 204, text: "" });
  expect(gateway.room("a-room")).toBeUndefined();
});

test("Returns 502 platform-rejected if the platform rejects the deletion", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE" });
  expect(await callDelete()).toMatchObject(failure("platform-rejected"));
  expect(gateway.room("a-room")).toBeDefined();
});
