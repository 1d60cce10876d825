/** Replenishment: how many rooms it requests, and what happens if a request cannot be stored. */
import { expect, test } from "vitest";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { maxLevel, usePoolWorld } from "../../support/pool-world.ts";

const queues = usePoolWorld();

/** Adds names to the pool and requests to the provisioning queue. */
async function fill(pooled: number, requested = 0): Promise<void> {
  for (let index = 0; index < pooled; index++) await queues.pool.put(`room-${index}`);
  for (let index = 0; index < requested; index++) await queues.provisioning.put('{"reason":"claimed"}');
}

const topUp = { reason: "bulk", upTo: maxLevel };

test.each([
  ["one room, although a room that is being provisioned counts as pooled and as requested", 3, 2, 1],
  ["one room if the requests are one below the level", 0, maxLevel - 1, 1],
  ["one room although the pool is full, because its request is dropped when it is served", maxLevel, 0, 1],
  ["no room if the requests reach the level", 0, maxLevel, 0],
])("`topUpByOne` requests %s", async (_, pooled, requested, expected) => {
  await fill(pooled, requested);
  await queues.replenishment.topUpByOne(queues.log);
  expect(queues.requests().slice(requested)).toEqual(Array(expected).fill(topUp));
});

test.each([
  [0, 0, 4, 4],
  [2, 1, 4, 1],
  [5, 3, 4, 0],
])("With %i pooled names and %i requests, `topUpTo(%i)` requests %i rooms", async (...given) => {
  const [pooled, requested, level, missing] = given;
  await fill(pooled, requested);
  // Leased names count too.
  await queues.pool.receive(1, 300);
  expect(await queues.replenishment.topUpTo(level)).toBe(missing);
  expect(queues.requests().slice(requested)).toEqual(Array(missing).fill({ reason: "bulk", upTo: level }));
  expect(await queues.replenishment.topUpTo(level)).toBe(0);
});

test.each([
  ["requestReplacement", "put", "replacement-failed"],
  ["topUpByOne", "count", "top-up-failed"],
  ["topUpByOne", "put", "top-up-failed"],
] as const)("`%s` logs a failure of the queue's %s and does not throw", async (method, operation, event) => {
  queues.provisioning.strikeNext(operation, { failure: "unknown" });
  await queues.replenishment[method](queues.log);
  expect(queues.log.events()).toEqual([event]);
});

test("`withdraw` removes the request of its own replacement only, and logs one that the host has received", async () => {
  await queues.replenishment.requestReplacement(queues.log);
  const other = await queues.replenishment.requestReplacement(queues.log);
  const received = await queues.replenishment.requestReplacement(queues.log);
  await other.withdraw();
  expect(queues.requests()).toHaveLength(2);
  await queues.provisioning.receive(2, 60);
  await received.withdraw();
  expect(queues.requests()).toHaveLength(2);
  expect(queues.log.fieldsOf("replacement-not-withdrawn")).toEqual({ outcome: "lost" });
});

test("An environment that is switched off (MAX_VMR is 0) requests no rooms", async () => {
  const replenishment = createReplenishment({ ...queues, maxLevel: 0 });
  const replacement = await replenishment.requestReplacement(queues.log);
  await replenishment.topUpByOne(queues.log);
  expect(queues.requests()).toEqual([]);
  await replacement.withdraw();
});
