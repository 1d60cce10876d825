/** POST /room/bulk/: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bulkCreateRooms } from "../../src/functions/bulk-create-rooms.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import {
  type InProcessGateway,
  programmingError,
  startInProcessGateway,
  storageDown,
} from "../support/in-process-gateway.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const create = async (query: Record<string, string> = {}) =>
  gateway.call(bulkCreateRooms, { query, headers: gateway.asApplication() });
const requested = async () => gateway.queues.provisioning.count();

test("202 without a body: as many rooms are asked for as the configured maximum", async () => {
  expect(await create()).toMatchObject({ status: 202, text: "" });
  expect(await requested()).toBe(50);
  const [message] = await gateway.queues.provisioning.receive(1, 1);
  expect(message?.text).toBe('{"reason":"bulk","upTo":50}');
});

test.each([
  ["3", 3],
  ["3.0", 3],
  [" 3 ", 3],
  ["+3", 3],
  ["0", 0],
  ["-0", 0],
])("202 for max_vmr=%j: %i rooms", async (max_vmr, count) => {
  expect(await create({ max_vmr })).toMatchObject({ status: 202 });
  expect(await requested()).toBe(count);
});

test("202 max_vmr overrides the configured maximum, upwards too", async () => {
  expect(await create({ max_vmr: "60" })).toMatchObject({ status: 202 });
  expect(await requested()).toBe(60);
});

test("202 what is pooled and already requested counts", async () => {
  await gateway.queues.pool.put("a-room");
  await gateway.queues.pool.put("another-room");
  await create({ max_vmr: "5" });
  expect(await requested()).toBe(3);
  await create({ max_vmr: "5" });
  expect(await requested()).toBe(3);
});

test.each<[string, string, object]>([
  ["abc", "int_parsing", {}],
  ["", "int_parsing", {}],
  ["2.5", "int_parsing", {}],
  ["1e3", "int_parsing", {}],
  ["0x10", "int_parsing", {}],
  ["5,6", "int_parsing", {}],
  ["true", "int_parsing", {}],
  ["-1", "greater_than_equal", { ctx: { ge: 0 } }],
  ["10001", "less_than_equal", { ctx: { le: 10000 } }],
  ["9".repeat(400), "", {}],
])("422 for max_vmr=%j", async (max_vmr, type, details) => {
  expect(await create({ max_vmr })).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: { detail: [{ ...(type && { type }), loc: ["query", "max_vmr"], ...details }] },
  });
  expect(await requested()).toBe(0);
});

test("503 storage-unavailable while the queues cannot be reached", async () => {
  const needs = gateway.connect(storageDown(gateway.stack.settings));
  const answer = await gateway.call(bulkCreateRooms, { headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 503,
    code: "storage-unavailable",
    json: { detail: "The room queues cannot be reached" },
  });
  expect(answer.headers.get("retry-after")).toBe("5");
});

test("500 with a fixed text for an unexpected error", async () => {
  const replenishment = { ...gateway.dependencies().replenishment, fillUpTo: programmingError };
  const needs = { ...gateway.dependencies(), replenishment };
  const answer = await gateway.call(bulkCreateRooms, { headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBearerRefusals(() => gateway, bulkCreateRooms, {});
