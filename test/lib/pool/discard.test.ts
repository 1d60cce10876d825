/** Discarding a room: first the message, so that nobody can be given it, then everything else. */
import { expect, test } from "vitest";
import { discardRoom } from "../../../src/lib/pool/discard.ts";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { createFaultyQueue } from "../../support/faulty-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

async function start() {
  const clock = createManualClock();
  const newQueue = () => createFaultyQueue(createMemoryQueue(clock));
  const [pool, deletion, provisioning] = [newQueue(), newQueue(), newQueue()];
  const replenishment = createReplenishment({ pool, provisioning, maxRooms: 1 });
  const message = await pool.put("room-a");
  const log = createRecordingLog();
  const discard = async (exists: boolean) =>
    discardRoom({ pool, deletion, replenishment }, message, { reason: "stale", exists }, log);
  return { pool, deletion, provisioning, log, discard };
}

test("the message is gone before the name is on the deletion queue", async () => {
  const { pool, deletion, provisioning, discard } = await start();
  let pooledAtThatTime: readonly string[] = ["not asked"];
  deletion.strikeNext("put", { meanwhile: () => void (pooledAtThatTime = pool.texts()) });
  await discard(true);

  expect(pooledAtThatTime).toEqual([]);
  expect(deletion.texts()).toEqual(["room-a"]);
  expect(provisioning.contents()).toHaveLength(1);
});

test("the name is on the deletion queue before another room is asked for", async () => {
  const { deletion, provisioning, discard } = await start();
  let queuedAtThatTime: readonly string[] = ["not asked"];
  provisioning.strikeNext("put", { meanwhile: () => void (queuedAtThatTime = deletion.texts()) });
  await discard(true);

  expect(queuedAtThatTime).toEqual(["room-a"]);
});

test("a room that is not on the platform is not queued for deletion", async () => {
  const { deletion, provisioning, discard } = await start();
  await discard(false);

  expect(deletion.texts()).toEqual([]);
  expect(provisioning.contents()).toHaveLength(1);
});

test.each(["receipt-stale", "message-gone"] as const)(
  "with a delete that fails as %s nothing else is done",
  async (failure) => {
    const { pool, deletion, provisioning, log, discard } = await start();
    pool.strikeNext("delete", { failure });
    await discard(true);

    expect([...deletion.texts(), ...provisioning.texts()]).toEqual([]);
    expect(log.fieldsOf("room-discard-failed")).toEqual({ room: "room-a", reason: "stale", message: "lost" });
  },
);

test("a failing deletion queue is logged as a leak, and another room is asked for all the same", async () => {
  const { deletion, provisioning, log, discard } = await start();
  deletion.strikeNext("put", { failure: "unknown" });
  await discard(true);

  expect(log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
  expect(provisioning.contents()).toHaveLength(1);
});
