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
const patchText = async (text: string, headers: Record<string, string> = {}) =>
  gateway.call(updateRoom, {
    roomName: "a-room",
    text,
    headers: { "content-type": "application/json", ...gateway.asApplication(), ...headers },
  });
const types = (json: unknown) => (json as { detail: { type: string }[] }).detail.map(({ type }) => type);

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

test.each([
  ["name", { name: "another-room" }],
  ["aliases", { aliases: [{ alias: "another-alias" }] }],
])("422 value_error for another %s, which cannot be changed", async (field, change) => {
  gateway.addRoom("a-room");
  expect(await patch(change)).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: {
      detail: [{ type: "value_error", loc: ["body", field], msg: `Value error, ${field} cannot be changed` }],
    },
  });
  expect(gateway.room("a-room")).toMatchObject({ name: "a-room" });
});

test("202 for the present name and aliases", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ name: "a-room", aliases: [{ alias: "a-room" }] })).toMatchObject({ status: 202 });
});

test.each<[string, unknown, string, (string | number)[]]>([
  ["a wrong text", { host_view: 5 }, "string_type", ["body", "host_view"]],
  ["a wrong flag", { allow_guests: "perhaps" }, "bool_parsing", ["body", "allow_guests"]],
  ["a flag that is a list", { allow_guests: [] }, "bool_type", ["body", "allow_guests"]],
  ["a wrong integer", { participant_limit: "many" }, "int_parsing", ["body", "participant_limit"]],
  ["a fraction", { participant_limit: 2.5 }, "int_from_float", ["body", "participant_limit"]],
  ["an integer that is an object", { participant_limit: {} }, "int_type", ["body", "participant_limit"]],
  ["a list that is a text", { aliases: "x" }, "list_type", ["body", "aliases"]],
  ["a wrong list element", { aliases: [{ id: "x" }] }, "int_parsing", ["body", "aliases", 0, "id"]],
  ["a wrong date", { creation_time: "yesterday" }, "datetime_from_date_parsing", ["body", "creation_time"]],
  [
    "a description beyond the limit",
    { description: "x".repeat(250) },
    "string_too_long",
    ["body", "description"],
  ],
  ["a relation without its URI", { ivr_theme: [{ name: "x" }] }, "value_error", ["body", "ivr_theme", 0]],
])("422 for %s", async (_, change, type, loc) => {
  gateway.addRoom("a-room");
  expect(await patch(change)).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: { detail: [{ type, loc }] },
  });
});

test("422 with every fault of the body at once", async () => {
  gateway.addRoom("a-room");
  const { json } = await patch({ host_view: 5, allow_guests: "perhaps", participant_limit: 2.5 });
  expect(types(json).toSorted()).toEqual(["bool_parsing", "int_from_float", "string_type"]);
});

test.each(["pin", "guest_pin"])("422 for a wrong %s does not repeat it", async (field) => {
  gateway.addRoom("a-room");
  const answer = await patch({ [field]: 918273 });
  expect(answer).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: { detail: [{ type: "string_type", loc: ["body", field] }] },
  });
  expect(answer.text).not.toContain("918273");
});

test.each([
  ["application/json", '[{"pin": "918273"}]'],
  ["text/plain", '{"pin": "918273"}'],
  ["application/x-www-form-urlencoded", "guest_pin=918273"],
])("422 for a body of the type %s that is no object does not repeat the PIN in it", async (type, text) => {
  gateway.addRoom("a-room");
  const answer = await patchText(text, { "content-type": type });
  expect(answer).toMatchObject({ status: 422, code: "invalid-request" });
  expect(answer.text).not.toContain("918273");
});

test("422 with a fixed text for what the platform refuses as invalid", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ participant_limit: -1 })).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: {
      detail: [
        {
          loc: ["body", "participant_limit"],
          msg: "Value error, the conferencing platform refuses this value",
        },
      ],
    },
  });
});

test("422 for JSON of another Content-Type, as FastAPI does", async () => {
  gateway.addRoom("a-room");
  const answer = await patchText("{}", { "content-type": "text/plain" });
  expect(answer.status).toBe(422);
  expect(types(answer.json)).toEqual(["model_attributes_type"]);
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
  maximumBytes: 1024 * 1024,
});
testBearerRefusals(() => gateway, updateRoom, sent);
testPlatformFaults({
  gateway: () => gateway,
  definition: updateRoom,
  sent,
  headers: () => gateway.asApplication(),
});
