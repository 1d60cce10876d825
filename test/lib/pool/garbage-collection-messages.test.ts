/** Garbage collection and its messages: all of a room share its fate, and one that is lost fails nothing. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createGarbageCollection } from "../../../src/lib/pool/garbage-collection.ts";
import type { Queue } from "../../../src/lib/queues/queue.ts";
import { type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const collect = async (maxMessages = 20, deletion: Queue = world.deletion) =>
  createGarbageCollection({
    ...world,
    deletion,
    status: createPlatformStatus(world.client),
    maxMessages,
    minAgeSeconds: 600,
  }).collect(world.log);
const addEnded = async (...names: string[]) => {
  for (const name of names) {
    world.addRoom(name);
    await world.deletion.put(name);
  }
};

test("a room that fails is postponed with all its messages", async () => {
  await addEnded("room-a");
  world.clock.advance(10);
  await world.deletion.put("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 403, method: "DELETE" });

  await expect(collect()).rejects.toThrow("1 rooms could not be collected");
  const now = world.clock.now();
  expect(world.deletion.contents().map(({ visibleAt }) => (visibleAt - now) / 1000)).toEqual([600, 600]);
});

test("a storage that gives fewer messages than asked for is asked again", async () => {
  await addEnded(...Array.from({ length: 12 }, (_, index) => `room-${index}`));
  world.clock.advance(600);
  const sparing: Queue = {
    ...world.deletion,
    receive: async (count, leaseSeconds) => world.deletion.receive(Math.min(count, 5), leaseSeconds),
  };
  await collect(20, sparing);

  expect(world.platform.roomCount()).toBe(0);
  expect(world.deletion.contents()).toEqual([]);
});

test.each(["receipt-stale", "message-gone"] as const)(
  "a message that somebody else has meanwhile (%s) does not fail the run: its room is gone",
  async (failure) => {
    await addEnded("room-a");
    world.clock.advance(600);
    world.deletion.strikeNext("delete", { failure });
    await collect();

    expect(world.platform.roomCount()).toBe(0);
  },
);

test("a deletion is logged although its message cannot be removed", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.deletion.strikeNext("delete", { failure: "unknown" });
  world.deletion.strikeNext("delete", { failure: "unknown" });

  await expect(collect()).rejects.toThrow(AggregateError);
  expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: true });
});
