/** PATCH /room/{room_name}: what it refuses in a body, fault by fault. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { updateRoom } from "../../src/functions/update-room.ts";
import { type InProcessGateway, startInProcessGateway } from "../support/in-process-gateway.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const patch = async (json: unknown) =>
  gateway.call(updateRoom, { roomName: "a-room", json, headers: gateway.asApplication() });
const patchText = async (text: string, headers: Record<string, string> = {}) =>
  gateway.call(updateRoom, {
    roomName: "a-room",
    text,
    headers: { "content-type": "application/json", ...gateway.asApplication(), ...headers },
  });
const types = (json: unknown) => (json as { detail: { type: string }[] }).detail.map(({ type }) => type);

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
          msg: "Value error, the conferencing platform rejected this value",
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
