/** POST /room/bulk/: what it requests. */
import { expect, test } from "vitest";
import { maxLevel, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const create = async (query: Record<string, string> = {}) => world.call("bulkCreateRooms", { query });

test("Returns 202 without a body and requests enough rooms to reach the configured maximum", async () => {
  expect(await create()).toMatchObject({ status: 202, text: "" });
  expect(world.requests()).toEqual(Array(maxLevel).fill({ reason: "bulk", upTo: maxLevel }));
});

test.each([
  ["3.0", 3],
  ["0", 0],
  // It overrides the configured maximum.
  ["60", 60],
])("Returns 202 for max_vmr=%s and requests %i rooms", async (max_vmr, count) => {
  expect(await create({ max_vmr })).toMatchObject({ status: 202 });
  expect(world.requests()).toHaveLength(count);
  const logged = { event: "rooms-requested", level: count, count };
  expect(JSON.parse(world.functionLog[0] ?? "")).toMatchObject(logged);
});
