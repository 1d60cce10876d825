/** POST /room/bulk/: every status it can return. */
import { expect, test } from "vitest";
import { invalidRequest } from "../support/failure-responses.ts";
import { maxRooms, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const create = async (query: Record<string, string> = {}) => world.call("bulkCreateRooms", { query });

test("Returns 202 without a body and requests enough rooms to reach the configured maximum", async () => {
  expect(await create()).toMatchObject({ status: 202, text: "" });
  expect(world.requests()).toEqual(Array(maxRooms).fill({ reason: "bulk", upTo: maxRooms }));
});

test.each([
  ["3.0", 3],
  ["0", 0],
  // It overrides the configured maximum.
  ["60", 60],
])("Returns 202 for max_vmr=%j and requests %i rooms", async (max_vmr, count) => {
  expect(await create({ max_vmr })).toMatchObject({ status: 202 });
  expect(world.requests()).toHaveLength(count);
});

test.each<[string, string, object]>([
  ["", "int_parsing", {}],
  ["-1", "greater_than_equal", { ctx: { ge: 0 } }],
  ["10001", "less_than_equal", { ctx: { le: 10000 } }],
])("Returns 422 for max_vmr=%j and requests no rooms", async (max_vmr, type, details) => {
  const fault = { type, loc: ["query", "max_vmr"], ...details };
  expect(await create({ max_vmr })).toMatchObject(invalidRequest(fault));
  expect(world.requests()).toEqual([]);
});
