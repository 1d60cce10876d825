/** Garbage collection that fails: the message stays for later, the other rooms go on, and the run says so. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createGarbageCollection } from "../../../src/lib/pool/garbage-collection.ts";
import { type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const collect = async () =>
  createGarbageCollection({
    ...world,
    status: createPlatformStatus(world.client),
    maxMessages: 20,
    minAgeSeconds: 600,
  }).collect(world.log);
const addEnded = async (name: string) => {
  const id = world.addRoom(name);
  await world.deletion.put(name);
  return id;
};
const isThere = (name: string) => world.room(name) !== undefined;
const hiddenSeconds = (name: string) => {
  const message = world.deletion.contents().find(({ text }) => text === name);
  return message && (message.visibleAt - world.clock.now()) / 1000;
};

test.each([
  { kind: "status", status: 500 },
  { kind: "status", status: 403 },
  { kind: "reset" },
  { kind: "timeout" },
] as const)("a room whose deletion fails with %j stays for later, and the others go on", async (fault) => {
  const stubborn = await addEnded("room-a");
  await addEnded("room-b");
  world.clock.advance(600);
  world.platform.addFault({ ...fault, method: "DELETE", pathPattern: `/${stubborn}/$` });

  await expect(collect()).rejects.toThrow("1 rooms could not be collected");
  expect(isThere("room-a")).toBe(true);
  expect(isThere("room-b")).toBe(false);
  expect(world.deletion.texts()).toEqual(["room-a"]);
  expect(world.log.fieldsOf("deletion-failed")).toEqual({ room: "room-a", dequeueCount: 1 });
});

test("a room that fails again and again is tried later and later, six hours at most", async () => {
  const stubborn = await addEnded("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 403, method: "DELETE", pathPattern: `/${stubborn}/$` });

  const delays: unknown[] = [];
  for (let run = 1; run <= 40; run++) {
    await expect(collect()).rejects.toThrow(AggregateError);
    delays.push(hiddenSeconds("room-a"));
    world.clock.advance(hiddenSeconds("room-a") ?? 0);
  }
  expect(delays.slice(0, 4)).toEqual([600, 1200, 1800, 2400]);
  expect(delays.slice(35)).toEqual([21_600, 21_600, 21_600, 21_600, 21_600]);

  world.platform.clearFaults();
  await collect();
  expect(isThere("room-a")).toBe(false);
});

test("a deletion that was carried out although its answer was lost is finished by a later run", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "timeout", when: "after", method: "DELETE", count: 1 });

  await expect(collect()).rejects.toThrow(AggregateError);
  world.clock.advance(600);
  await collect();
  expect(world.deletion.contents()).toEqual([]);
});

test("when the list cannot be read, nothing is deleted and every message is postponed", async () => {
  await addEnded("room-a");
  await addEnded("room-b");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 503, method: "GET" });

  await expect(collect()).rejects.toMatchObject({ code: "platform-unavailable" });
  expect(world.platform.roomCount()).toBe(2);
  expect([hiddenSeconds("room-a"), hiddenSeconds("room-b")]).toEqual([600, 600]);
});

test("when the list cannot be read and messages cannot be postponed, their lease ends before the next run", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 503, method: "GET", count: 3 });
  world.deletion.strikeNext("setInvisible", { failure: "unknown" });

  await expect(collect()).rejects.toMatchObject({ code: "platform-unavailable" });
  expect(hiddenSeconds("room-a")).toBeLessThanOrEqual(540);
  world.clock.advance(540);
  await collect();
  expect(isThere("room-a")).toBe(false);
});

test("an unreachable queue fails the run without a call to the platform", async () => {
  world.deletion.strikeNext("receive", { failure: "unknown" });

  await expect(collect()).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(world.platform.requests().total).toBe(0);
});

test("a message that could not be removed fails the run; the next one finds the room gone and removes it", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.deletion.strikeNext("delete", { failure: "unknown" });
  world.deletion.strikeNext("delete", { failure: "unknown" });

  await expect(collect()).rejects.toThrow(AggregateError);
  expect(isThere("room-a")).toBe(false);
  world.clock.advance(600);
  await collect();
  expect(world.deletion.contents()).toEqual([]);
});

test("a young message that cannot be hidden fails the run, and its room stays", async () => {
  await addEnded("room-a");
  world.deletion.strikeNext("setInvisible", { failure: "unknown" });

  await expect(collect()).rejects.toThrow(AggregateError);
  expect(isThere("room-a")).toBe(true);
  expect(world.deletion.texts()).toEqual(["room-a"]);
});

test("messages taken before the queue fails are not lost", async () => {
  for (let index = 0; index < 40; index++) await addEnded(`room-${index}`);
  world.clock.advance(600);
  world.deletion.strikeNext("receive", {});
  world.deletion.strikeNext("receive", { failure: "unknown" });
  const collection = createGarbageCollection({
    ...world,
    status: createPlatformStatus(world.client),
    maxMessages: 100,
    minAgeSeconds: 600,
  });

  await expect(collection.collect(world.log)).rejects.toMatchObject({ code: "storage-unavailable" });
  world.clock.advance(600);
  await collection.collect(world.log);
  expect(world.platform.roomCount()).toBe(0);
  expect(world.deletion.contents()).toEqual([]);
});

test("a failing removal of an older repeat leaves both messages for a later run", async () => {
  await addEnded("room-a");
  world.clock.advance(10);
  await world.deletion.put("room-a");
  await addEnded("room-b");
  world.clock.advance(600);
  world.deletion.strikeNext("delete", { failure: "unknown" });
  world.deletion.strikeNext("delete", { failure: "unknown" });

  await expect(collect()).rejects.toThrow("could not be collected");
  world.clock.advance(600);
  await collect();
  expect(world.platform.roomCount()).toBe(0);
  expect(world.deletion.contents()).toEqual([]);
});

test("a failing removal of an older repeat hinders no other room", async () => {
  await addEnded("room-a");
  world.clock.advance(10);
  await world.deletion.put("room-a");
  await addEnded("room-b");
  world.clock.advance(600);
  world.deletion.strikeNext("delete", { failure: "unknown" });
  world.deletion.strikeNext("delete", { failure: "unknown" });

  await expect(collect()).rejects.toThrow(AggregateError);
  expect(isThere("room-b")).toBe(false);
});
