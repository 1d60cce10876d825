/** Requests for new rooms: one for one handed out, as many as a level lacks, never more. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { createFaultyQueue } from "../../support/faulty-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const maxRooms = 10;

async function start({ pooled = 0, requested = 0 } = {}) {
  const clock = createManualClock();
  const pool = createFaultyQueue(createMemoryQueue(clock));
  const provisioning = createFaultyQueue(createMemoryQueue(clock));
  for (let index = 0; index < pooled; index++) await pool.put(`room-${index}`);
  for (let index = 0; index < requested; index++) await provisioning.put('{"reason":"claimed"}');
  const log = createRecordingLog();
  return {
    pool,
    provisioning,
    log,
    replenishment: createReplenishment({ pool, provisioning, maxRooms }),
  };
}
const parsed = (texts: readonly string[]) => texts.map((text): unknown => JSON.parse(text));

test("a room handed out asks for one in its place, however full the pool is", async () => {
  const { replenishment, provisioning, log } = await start({ pooled: 2 * maxRooms });
  await replenishment.replace(log);

  expect(parsed(provisioning.texts())).toEqual([{ reason: "claimed" }]);
});

test.each([
  ["an empty pool", 0, 0, 1],
  ["one lacking with what is requested", 6, 3, 1],
  ["none lacking with what is requested", 6, 4, 0],
  ["more than enough", 20, 0, 0],
])("healing %s: pooled %i, requested %i, asked for %i", async (_, pooled, requested, asked) => {
  const { replenishment, provisioning, log } = await start({ pooled, requested });
  await replenishment.heal(log);

  expect(parsed(provisioning.texts()).slice(requested)).toEqual(
    Array.from({ length: asked }, () => ({ reason: "healing", upTo: maxRooms })),
  );
});

test("leased messages count as pooled: a claim under way makes no room more", async () => {
  const { replenishment, pool } = await start({ pooled: 3 });
  await pool.receive(3, 300);

  expect(await replenishment.fillUpTo(3)).toBe(0);
});

test("filling to any level asks for exactly what pool and waiting requests lack, each with the level", async () => {
  const count = fc.integer({ min: 0, max: 60 });
  await fc.assert(
    fc.asyncProperty(count, count, count, async (pooled, requested, level) => {
      const { replenishment, provisioning } = await start({ pooled, requested });
      const lacking = Math.max(0, level - pooled - requested);

      expect(await replenishment.fillUpTo(level)).toBe(lacking);
      expect(parsed(provisioning.texts()).slice(requested)).toEqual(
        Array.from({ length: lacking }, () => ({ reason: "bulk", upTo: level })),
      );
      expect(await replenishment.fillUpTo(level)).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test("a replacement that cannot be stored is logged and never thrown", async () => {
  const { replenishment, provisioning, log } = await start();
  provisioning.strikeNext("put", { failure: "unknown" });
  await replenishment.replace(log);

  expect(log.events()).toEqual(["replacement-failed"]);
});

test.each(["count", "put"] as const)(
  "healing whose %s fails is logged and never thrown",
  async (operation) => {
    const { replenishment, provisioning, log } = await start();
    provisioning.strikeNext(operation, { failure: "unknown" });
    await replenishment.heal(log);

    expect(log.events()).toEqual(["healing-failed"]);
  },
);

test("filling throws when a request cannot be stored", async () => {
  const { replenishment, provisioning } = await start();
  provisioning.strikeNext("put", { failure: "unknown" });

  await expect(replenishment.fillUpTo(3)).rejects.toMatchObject({ code: "storage-unavailable" });
});
