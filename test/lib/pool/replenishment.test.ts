/** Replenishment: how many rooms it requests, and what happens if a request cannot be stored. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { createPoolQueues, maxRooms, type PoolQueues, usePoolQueues } from "../../support/pool-world.ts";

const queues = usePoolQueues();

/** Adds names to the pool and requests to the provisioning queue. */
async function fill({ pool, provisioning }: PoolQueues, pooled: number, requested = 0): Promise<void> {
  for (let index = 0; index < pooled; index++) await pool.put(`room-${index}`);
  for (let index = 0; index < requested; index++) await provisioning.put('{"reason":"claimed"}');
}

test("replace requests one room even if the pool is above its maximum", async () => {
  await fill(queues, 2 * maxRooms);
  await queues.replenishment.replace(queues.log);
  expect(queues.requests()).toEqual([{ reason: "claimed" }]);
});

test.each([
  ["one room if the pool is empty", 0, 0, 1],
  ["one room if pooled and requested rooms are one below the maximum", 3, 1, 1],
  ["no room if pooled and requested rooms reach the maximum", 3, 2, 0],
  ["no room if the pool is above the maximum", 2 * maxRooms, 0, 0],
])("heal requests %s", async (_, pooled, requested, expected) => {
  await fill(queues, pooled, requested);
  await queues.replenishment.heal(queues.log);

  const healing = { reason: "healing", upTo: maxRooms };
  expect(queues.requests().slice(requested)).toEqual(Array(expected).fill(healing));
});

test("fillUpTo counts leased messages as pooled", async () => {
  await fill(queues, 3);
  await queues.pool.receive(3, 300);
  expect(await queues.replenishment.fillUpTo(3)).toBe(0);
});

test("fillUpTo requests exactly the rooms missing from any level, and none when it is called again", async () => {
  const count = fc.integer({ min: 0, max: 60 });
  await fc.assert(
    fc.asyncProperty(count, count, count, async (pooled, requested, level) => {
      const separate = createPoolQueues();
      await fill(separate, pooled, requested);
      const missing = Math.max(0, level - pooled - requested);

      expect(await separate.replenishment.fillUpTo(level)).toBe(missing);
      const bulk = { reason: "bulk", upTo: level };
      expect(separate.requests().slice(requested)).toEqual(Array(missing).fill(bulk));
      expect(await separate.replenishment.fillUpTo(level)).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["replace", "put", "replacement-failed"],
  ["heal", "count", "healing-failed"],
  ["heal", "put", "healing-failed"],
] as const)("%s logs a failure of the queue's %s and does not throw", async (method, operation, event) => {
  queues.provisioning.strikeNext(operation, { failure: "unknown" });
  await queues.replenishment[method](queues.log);
  expect(queues.log.events()).toEqual([event]);
});

test("fillUpTo throws if a request cannot be stored", async () => {
  queues.provisioning.strikeNext("put", { failure: "unknown" });
  await expect(queues.replenishment.fillUpTo(3)).rejects.toMatchObject({ code: "storage-unavailable" });
});

test("withdraw takes back the request of its own replacement, and no other", async () => {
  await queues.replenishment.replace(queues.log);
  const replacement = await queues.replenishment.replace(queues.log);
  await replacement.withdraw();
  expect(queues.requests()).toEqual([{ reason: "claimed" }]);
});

test("withdraw logs a request that the host has already received", async () => {
  const replacement = await queues.replenishment.replace(queues.log);
  await queues.provisioning.receive(1, 60);
  await replacement.withdraw();

  expect(queues.requests()).toEqual([{ reason: "claimed" }]);
  expect(queues.log.fieldsOf("replacement-not-withdrawn")).toEqual({ outcome: "lost" });
});

test("withdraw does nothing if the request could not be stored", async () => {
  queues.provisioning.strikeNext("put", { failure: "unknown" });
  await (await queues.replenishment.replace(queues.log)).withdraw();
  expect(queues.provisioning.calls).toEqual(["put"]);
});

test("an environment that is switched off (MAX_VMR is 0) requests no rooms", async () => {
  const replenishment = createReplenishment({ ...queues, maxRooms: 0 });
  await (await replenishment.replace(queues.log)).withdraw();
  await replenishment.heal(queues.log);

  expect(await replenishment.fillUpTo(0)).toBe(0);
  expect(queues.requests()).toEqual([]);
});
