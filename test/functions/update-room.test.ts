/** PATCH /room/{room_name}: every status it can return, and every fault that it finds in a body. */
import { describe, expect, test } from "vitest";
import { getRoom } from "../../src/functions/get-room.ts";
import { updateRoom } from "../../src/functions/update-room.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { testBodyRefusals } from "../support/body-refusals.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { programmingError, testUnexpectedError } from "../support/shared-failures.ts";

const gateway = useInProcessGateway();
const sent = { roomName: "a-room", json: { participant_limit: 7 } };
const underTest = { gateway, definition: updateRoom, sent };

const patch = async (json: unknown, roomName = "a-room") => gateway.call(updateRoom, { roomName, json });
const patchText = async (text: string, type: string) =>
  gateway.call(updateRoom, { roomName: "a-room", text, headers: { "content-type": type } });

test("Returns 202 without a body after it has changed the room on the platform", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ participant_limit: 7, guests_can_present: false })).toMatchObject({
    status: 202,
    text: "",
  });
  expect(gateway.room("a-room")).toMatchObject({ participant_limit: 7, guests_can_present: false });
});

test("Accepts the response of GET and changes nothing", async () => {
  gateway.addRoom("a-room", { ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/" });
  const before = gateway.room("a-room");
  const query = { constrained_attributes: "false" };
  const { json } = await gateway.call(getRoom, { roomName: "a-room", query });
  expect(await patch(json)).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")).toEqual(before);
});

test("Keeps the marker if the description changes", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ description: "a note" })).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")?.["description"]).toMatch(/^a note\nvmr-gateway pooled /);
});

test("Returns 202 for an empty object without writing to the platform", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.clearRequests();
  expect(await patch({})).toMatchObject({ status: 202 });
  expect(
    Object.keys(gateway.stack.platform.requests().byRoute).filter((key) => key.startsWith("PATCH")),
  ).toEqual([]);
});

test("Drops read-only fields and passes null on", async () => {
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

test("Accepts the current name and aliases", async () => {
  gateway.addRoom("a-room");
  expect(await patch({ name: "a-room", aliases: [{ alias: "a-room" }] })).toMatchObject({ status: 202 });
});

test("Returns 404 without a body for a name that the platform does not know", async () => {
  expect(await patch({ participant_limit: 7 }, "nobody")).toMatchObject({
    status: 404,
    code: "room-not-found",
    text: "",
  });
});

test("Returns 404 if the room is deleted after it was found", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  expect(await patch({ participant_limit: 7 })).toMatchObject({
    status: 404,
    code: "room-not-found",
    text: "",
  });
});

test("Returns 502 platform-rejected if the platform rejects the change for another reason", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "PATCH" });
  expect(await patch({ participant_limit: 7 })).toMatchObject({ status: 502, code: "platform-rejected" });
});

test("Returns 503 and does not retry if the outcome of the change is unknown", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.addFault({ kind: "html500", method: "PATCH" });
  gateway.stack.platform.clearRequests();
  expect(await patch({ participant_limit: 7 })).toMatchObject({ status: 503 });
  const { byRoute } = gateway.stack.platform.requests();
  expect(byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"]).toBe(1);
});

describe("A body with faults", () => {
  const types = (json: unknown) => (json as { detail: { type: string }[] }).detail.map(({ type }) => type);

  test.each([
    ["name", { name: "another-room" }],
    ["aliases", { aliases: [{ alias: "another-alias" }] }],
  ])("gets 422 value_error for another %s, which cannot be changed", async (field, change) => {
    gateway.addRoom("a-room");
    expect(await patch(change)).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: {
        detail: [
          { type: "value_error", loc: ["body", field], msg: `Value error, ${field} cannot be changed` },
        ],
      },
    });
    expect(gateway.room("a-room")).toMatchObject({ name: "a-room" });
  });

  test.each<[string, unknown, string, (string | number)[]]>([
    ["a string field that is a number", { host_view: 5 }, "string_type", ["body", "host_view"]],
    ["an invalid boolean", { allow_guests: "perhaps" }, "bool_parsing", ["body", "allow_guests"]],
    ["a boolean that is a list", { allow_guests: [] }, "bool_type", ["body", "allow_guests"]],
    ["an invalid integer", { participant_limit: "many" }, "int_parsing", ["body", "participant_limit"]],
    ["a fraction", { participant_limit: 2.5 }, "int_from_float", ["body", "participant_limit"]],
    ["an integer that is an object", { participant_limit: {} }, "int_type", ["body", "participant_limit"]],
    ["a list that is a string", { aliases: "x" }, "list_type", ["body", "aliases"]],
    ["an invalid list element", { aliases: [{ id: "x" }] }, "int_parsing", ["body", "aliases", 0, "id"]],
    [
      "an invalid date",
      { creation_time: "yesterday" },
      "datetime_from_date_parsing",
      ["body", "creation_time"],
    ],
    [
      "a description that is too long",
      { description: "x".repeat(250) },
      "string_too_long",
      ["body", "description"],
    ],
    ["a relation without its URI", { ivr_theme: [{ name: "x" }] }, "value_error", ["body", "ivr_theme", 0]],
  ])("gets 422 for %s", async (_, change, type, loc) => {
    gateway.addRoom("a-room");
    expect(await patch(change)).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: { detail: [{ type, loc }] },
    });
  });

  test("gets 422 with all its faults at once", async () => {
    gateway.addRoom("a-room");
    const { json } = await patch({ host_view: 5, allow_guests: "perhaps", participant_limit: 2.5 });
    expect(types(json).toSorted()).toEqual(["bool_parsing", "int_from_float", "string_type"]);
  });

  test.each(["pin", "guest_pin"])("gets 422 for an invalid %s without its value", async (field) => {
    gateway.addRoom("a-room");
    const response = await patch({ [field]: 918273 });
    expect(response).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: { detail: [{ type: "string_type", loc: ["body", field] }] },
    });
    expect(response.text).not.toContain("918273");
  });

  test.each([
    ["application/json", '[{"pin": "918273"}]'],
    ["text/plain", '{"pin": "918273"}'],
    ["application/x-www-form-urlencoded", "guest_pin=918273"],
  ])("gets 422 without the PIN in it if it is %s but not an object", async (type, text) => {
    gateway.addRoom("a-room");
    const response = await patchText(text, type);
    expect(response).toMatchObject({ status: 422, code: "invalid-request" });
    expect(response.text).not.toContain("918273");
  });

  test("gets 422 with a fixed text for a value that the platform rejects as invalid", async () => {
    gateway.addRoom("a-room");
    expect(await patch({ participant_limit: -1 })).toMatchObject({
      status: 422,
      code: "invalid-request",
      json: {
        detail: [
          {
            loc: ["body", "participant_limit"],
            msg: "Value error, the conferencing platform rejected this value",
          },
        ],
      },
    });
  });

  test("gets 422 if its Content-Type is not JSON, as in FastAPI", async () => {
    gateway.addRoom("a-room");
    const response = await patchText("{}", "text/plain");
    expect(response.status).toBe(422);
    expect(types(response.json)).toEqual(["model_attributes_type"]);
  });
});

testUnexpectedError(underTest, ({ conferences }) => ({
  conferences: { ...conferences, findByName: programmingError },
}));
testBodyRefusals(underTest, { notAnObject: "model_attributes_type", maxBytes: 1024 * 1024 });
testBearerRefusals(underTest);
testPlatformFaults(underTest);
