/** The functions that no caller calls: what starts each of them. */
import { expect, test } from "vitest";
import { collectGarbage } from "../../src/functions/collect-garbage.timer.ts";
import { collectMetrics } from "../../src/functions/collect-metrics.timer.ts";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

test("Garbage is collected every 10 minutes, metrics every 5 minutes and on startup, and rooms made by a queue", async () => {
  const run = expect.any(Function);
  expect(collectGarbage).toEqual({ schedule: "0 */10 * * * *", run });
  expect(collectMetrics).toEqual({ schedule: "0 */5 * * * *", runOnStartup: true, run });
  expect(provisionRoom.queueName).toBe("room-provisioning-queue");
  await world.addEnded("room-a");
  world.clock.advance(600);
  await world.runTimer("collectGarbage");
  await world.runTimer("collectMetrics");
  expect([world.roomNames(), world.rows]).toMatchObject([[], [{ DeletionDepth: 0 }]]);
});
