/** PATCH /room/{room_name}: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getRoom } from "../../src/functions/get-room.ts";
import { updateRoom } from "../../src/functions/update-room.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { testBodyRefusals } from "../support/body-refusals.ts";
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

const sent = { roomName: "a-room", json: { participant_limit: 7 } };
const patch = async (json: unknown, roomName = "a-room") =>
  gateway.call(updateRoom, { roomName, json, headers: gateway.asApplication() });

test("202 without a body: the platform has taken the change", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ participant_limit: 7, guests_can_present: false })).toMatchObject({
    status: 202,
    text: "",
  });
  expect(gateway.room("a-room")).toMatchObject({ participant_limit: 7, guests_can_present: false });
});

test("202 for what a GET gave, which changes nothing", async () => {
  gateway.addRoom("a-room", { ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/" });
  const before = gateway.room("a-room");
  const full = { roomName: "a-room", query: { constrained_attributes: "false" } };
  const got = await gateway.call(getRoom, { ...full, headers: gateway.asApplication() });
  expect(await patch(got.json)).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")).toEqual(before);
});

test("202 and the marker stays when the description changes", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ description: "a note" })).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")?.["description"]).toMatch(/^a note\nvmr-gateway pooled /);
});

test("202 for an empty object, without a call that writes", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.clearRequests();
  expect(await patch({})).toMatchObject({ status: 202 });
  expect(
    Object.keys(gateway.stack.platform.requests().byRoute).filter((key) => key.startsWith("PATCH")),
  ).toEqual([]);
});

test("202 read-only fields are dropped, and null is passed on", async () => {
  gateway.addRoom("a-room", { participant_limit: 5 });
  const id = gateway.room("a-room")?.["id"];
  const change = {
    id: 999,
    resource_uri: "/x/",
    creation_time: "2026-01-01T00:00:00",
    participant_limit: null,
  };
  expect(await patch(change)).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")).toMatchObject({ id, participant_limit: null });
});

test("202 for the present name and aliases", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ name: "a-room", aliases: [{ alias: "a-room" }] })).toMatchObject({ status: 202 });
});

test("404 without a body for a name that the platform does not know", async () => {
  expect(await patch({ participant_limit: 7 }, "nobody")).toMatchObject({
    status: 404,
    code: "room-not-found",
    text: "",
  });
});

test("404 when the room vanishes between being found and being changed", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  expect(await patch({ participant_limit: 7 })).toMatchObject({
    status: 404,
    code: "room-not-found",
    text: "",
  });
});

test("502 platform-rejected when the platform refuses the change for another reason", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 403, method: "PATCH" });
  expect(await patch({ participant_limit: 7 })).toMatchObject({ status: 502, code: "platform-rejected" });
});

test("503 platform-unavailable when the outcome of the change is unknown, and it is not repeated", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "html500", method: "PATCH" });
  gateway.stack.platform.clearRequests();
  expect(await patch({ participant_limit: 7 })).toMatchObject({ status: 503 });
  const { byRoute } = gateway.stack.platform.requests();
  expect(byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"]).toBe(1);
});

test("500 with a fixed text for an unexpected error", async () => {
  const conferences = { ...gateway.dependencies().conferences, findByName: programmingError };
  const needs = { ...gateway.dependencies(), conferences };
  const answer = await gateway.call(updateRoom, { ...sent, headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBodyRefusals({
  gateway: () => gateway,
  definition: updateRoom,
  headers: () => gateway.asApplication(),
  roomName: "a-room",
  notAnObject: "model_attributes_type",
  maxBytes: 1024 * 1024,
});
testBearerRefusals(() => gateway, updateRoom, sent);
testPlatformFaults({
  gateway: () => gateway,
  definition: updateRoom,
  sent,
  headers: () => gateway.asApplication(),
});
