/** What bounds a garbage collection: events older than a hand-out, and the time of one run. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status.ts";
import { createGarbageCollection } from "../../../src/lib/pool/garbage-collection.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const limits = { maxMessages: 20, minAgeSeconds: 600 };
const collect = async (status: Pick<PlatformStatus, "isLive"> = createPlatformStatus(world.client)) =>
  createGarbageCollection({ ...world, ...limits, status }).collect(world.log);
const isThere = (name: string) => world.room(name) !== undefined;

test.each([
  ["61 seconds after its message was queued stays, and the message goes", 61, true],
  ["60 seconds after is deleted: clocks may differ by that much", 60, false],
  ["before its message was queued is deleted", -5, false],
])("a room assigned %s", async (_, secondsAfterQueueing, stays) => {
  const since = new Date(world.clock.now() + secondsAfterQueueing * 1000).toISOString();
  world.addRoom("room-a", { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) });
  await world.deletion.put("room-a");
  world.clock.advance(600);
  await collect();

  expect(isThere("room-a")).toBe(stays);
  expect(world.deletion.texts()).toEqual([]);
});

test("a room that was pooled, not handed out, after its message was queued is deleted", async () => {
  const since = new Date(world.clock.now() + 61_000).toISOString();
  world.addRoom("room-a", { description: formatMarker({ state: "pooled", since }) });
  await world.deletion.put("room-a");
  world.clock.advance(600);
  await collect();

  expect(isThere("room-a")).toBe(false);
});

test("a run that has lasted 400 seconds begins no further room; its message comes back with its lease", async () => {
  for (const name of ["room-a", "room-b"]) {
    world.addRoom(name);
    await world.deletion.put(name);
  }
  world.clock.advance(600);
  await collect({
    isLive: async () => {
      world.clock.advance(400);
      return false;
    },
  });

  expect([isThere("room-a"), isThere("room-b")].filter(Boolean)).toHaveLength(1);
  expect(world.log.fieldsOf("collection-cut-short")).toEqual({ messages: 2 });
  expect(world.deletion.texts()).toHaveLength(1);
  world.clock.advance(140);
  await collect();
  expect(world.deletion.texts()).toEqual([]);
});

test("messages are held for nine minutes: longer than a run lasts, and over before the next one", async () => {
  for (const name of ["room-a", "room-b"]) {
    world.addRoom(name);
    await world.deletion.put(name);
  }
  world.clock.advance(600);
  const heldSeconds: number[] = [];
  await collect({
    isLive: async () => {
      for (const { visibleAt } of world.deletion.contents())
        heldSeconds.push((visibleAt - world.clock.now()) / 1000);
      return false;
    },
  });

  // Both while the first is looked at, the other one alone afterwards.
  expect(heldSeconds).toEqual([540, 540, 540]);
});

test("a message whose age is no whole number of seconds is hidden until it is due", async () => {
  world.addRoom("room-a");
  await world.deletion.put("room-a");
  world.clock.advance(599.7);
  await collect();

  const [message] = world.deletion.contents();
  expect(((message?.visibleAt ?? 0) - world.clock.now()) / 1000).toBe(1);
});
