/** DELETE /room/{room_name}: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deleteRoom } from "../../src/functions/delete-room.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import {
  type InProcessGateway,
  programmingError,
  startInProcessGateway,
} from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const sent = { roomName: "a-room" };
const remove = async (roomName = "a-room", query: Record<string, string> = {}) =>
  gateway.call(deleteRoom, { roomName, query, headers: gateway.asApplication() });

test("204 the room is gone from the platform at once, and the others stay", async () => {
  gateway.addRoom("a-room");
  gateway.addRoom("another-room");
  expect(await remove()).toMatchObject({ status: 204, text: "" });
  expect(gateway.room("a-room")).toBeUndefined();
  expect(gateway.room("another-room")).toBeDefined();
  expect(gateway.log.join("\n")).toContain("room-deleted");
});

test("204 a persistent room too: who names it means it", async () => {
  gateway.addRoom("test_room");
  expect(await remove("test_room")).toMatchObject({ status: 204 });
  expect(gateway.room("test_room")).toBeUndefined();
});

test.each(["a/b", "a%2Fb", "Zürich ☃", "a+b=", "?x&name=a-room"])(
  "204 for the exact name %j",
  async (name) => {
    gateway.addRoom("a-room");
    gateway.addRoom(name.replaceAll("%2F", "/"));
    expect(await remove(name)).toMatchObject({ status: 204 });
    expect(gateway.room(name.replaceAll("%2F", "/"))).toBeUndefined();
    expect(gateway.room("a-room")).toBeDefined();
  },
);

test("204 whatever stands in the query", async () => {
  gateway.addRoom("a-room");
  expect(await remove("a-room", { constrained_attributes: "maybe" })).toMatchObject({ status: 204 });
});

test("404 without a body for a name that the platform does not know", async () => {
  gateway.addRoom("a-room");
  expect(await remove("nobody")).toMatchObject({ status: 404, code: "room-not-found", text: "" });
  expect(gateway.room("a-room")).toBeDefined();
});

test("404 for the second of two deletes", async () => {
  gateway.addRoom("a-room");
  expect((await remove()).status).toBe(204);
  expect(await remove()).toMatchObject({ status: 404, code: "room-not-found", text: "" });
});

test("204 when the room was found and is gone by the time it is deleted, as after an answer that was lost", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 500, when: "after", method: "DELETE", count: 1 });
  expect(await remove()).toMatchObject({ status: 204, text: "" });
  expect(gateway.room("a-room")).toBeUndefined();
});

test("502 platform-rejected when the platform refuses to delete it", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE" });
  expect(await remove()).toMatchObject({ status: 502, code: "platform-rejected" });
  expect(gateway.room("a-room")).toBeDefined();
});

test("500 with a fixed text for an unexpected error", async () => {
  const conferences = { ...gateway.dependencies().conferences, findByName: programmingError };
  const needs = { ...gateway.dependencies(), conferences };
  const answer = await gateway.call(deleteRoom, { ...sent, headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBearerRefusals(() => gateway, deleteRoom, sent);
testPlatformFaults({
  gateway: () => gateway,
  definition: deleteRoom,
  sent,
  headers: () => gateway.asApplication(),
});
