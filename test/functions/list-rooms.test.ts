/** GET /room/list: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { listRooms } from "../../src/functions/list-rooms.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import {
  type InProcessGateway,
  programmingError,
  startInProcessGateway,
} from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { acceptedBooleans, refusedBooleans } from "../support/query-booleans.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const list = async (query: Record<string, string> = {}) =>
  gateway.call(listRooms, { query, headers: gateway.asApplication() });

test("200 an empty list of an empty platform", async () => {
  expect(await list()).toMatchObject({ status: 200, json: [] });
});

test("200 every conference once, also beyond one page of the platform", async () => {
  gateway.stack.platform.setBehaviour({ maxPageSize: 20 });
  gateway.stack.platform.seedRooms({ count: 65 });
  const { status, json } = await list();
  const names = (json as { name: string }[]).map(({ name }) => name);
  expect(status).toBe(200);
  expect(new Set(names).size).toBe(65);
  expect(names).toHaveLength(65);
});

test("200 services that are no rooms, with an empty PIN and tag", async () => {
  gateway.stack.platform.seedRooms({ mixed: true });
  gateway.addRoom("a-room");
  const { json } = await list();
  expect(json).toContainEqual({
    id: expect.any(Number),
    name: "Test call",
    service_type: "test_call",
    allow_guests: false,
    pin: "",
    guest_pin: "",
    tag: "",
    aliases: [expect.objectContaining({ alias: "test-call" })],
  });
  expect(json).toContainEqual(expect.objectContaining({ name: "a-room", pin: identities.hostPin }));
});

test.each(acceptedBooleans)("200 for constrained_attributes=%s, read as %s", async (text, isConstrained) => {
  gateway.addRoom("a-room");
  const { status, json } = await list({ constrained_attributes: text });
  expect(status).toBe(200);
  expect((json as object[]).map((room) => "participant_limit" in room)).toEqual([!isConstrained]);
});

test.each(refusedBooleans)("422 bool_parsing for constrained_attributes=%j", async (text) => {
  const { status, json } = await list({ constrained_attributes: text });
  expect(status).toBe(422);
  expect(json).toMatchObject({
    detail: [{ type: "bool_parsing", loc: ["query", "constrained_attributes"] }],
  });
});

test("200 although the query has names that nobody knows", async () => {
  expect(await list({ unknown: "x", limit: "0" })).toMatchObject({ status: 200 });
});

test("500 with a fixed text for an unexpected error", async () => {
  const backgroundConferences = { ...gateway.dependencies().backgroundConferences, list: programmingError };
  const needs = { ...gateway.dependencies(), backgroundConferences };
  const answer = await gateway.call(listRooms, { headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBearerRefusals(() => gateway, listRooms, {});
testPlatformFaults({
  gateway: () => gateway,
  definition: listRooms,
  sent: {},
  headers: () => gateway.asApplication(),
});
