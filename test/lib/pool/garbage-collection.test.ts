/** Garbage collection: what becomes of each room whose name is on the deletion queue. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createGarbageCollection } from "../../../src/lib/pool/garbage-collection.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const collect = async (maxMessages = 20) =>
  createGarbageCollection({
    ...world,
    status: createPlatformStatus(world.client),
    maxMessages,
    minAgeSeconds: 600,
  }).collect(world.log);
const addEnded = async (name: string, fields?: Record<string, unknown>) => {
  world.addRoom(name, fields);
  await world.deletion.put(name);
};
const isThere = (name: string) => world.room(name) !== undefined;
const skipReasons = () =>
  world.log.lines.flatMap(({ event, fields }) => (event === "deletion-skipped" ? [fields["reason"]] : []));

test("with nothing on the queue, the platform is not called", async () => {
  await collect();
  expect(world.platform.requests().total).toBe(0);
});

test("a room is deleted with its message once the message is ten minutes old", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  await collect();

  expect(isThere("room-a")).toBe(false);
  expect(world.deletion.contents()).toEqual([]);
  expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: true });
});

test("a younger message is left and seen again when it is due, not before", async () => {
  await addEnded("room-a");
  world.clock.advance(599);
  await collect();

  expect(isThere("room-a")).toBe(true);
  expect(await world.deletion.receive(1, 0)).toEqual([]);
  world.clock.advance(1);
  await collect();
  expect(isThere("room-a")).toBe(false);
});

test.each(["test_", "test_room", "vkiosk_", "vkiosk_7"])(
  "the persistent room %s is never deleted",
  async (name) => {
    await addEnded(name);
    world.clock.advance(3600);
    await collect();

    expect(isThere(name)).toBe(true);
    expect(world.deletion.contents()).toEqual([]);
    expect(skipReasons()).toEqual(["persistent"]);
  },
);

test("the message of a room that is gone is removed", async () => {
  await world.deletion.put("gone");
  world.clock.advance(600);
  await collect();

  expect(world.deletion.contents()).toEqual([]);
  expect(skipReasons()).toEqual(["gone"]);
});

test("a room that the list has missed is found by its name and deleted", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  const list = async () => [];
  await createGarbageCollection({
    ...world,
    conferences: { ...world.conferences, list },
    status: createPlatformStatus(world.client),
    maxMessages: 20,
    minAgeSeconds: 600,
  }).collect(world.log);

  expect(isThere("room-a")).toBe(false);
});

test("a room that somebody deletes meanwhile counts as deleted", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 404, method: "DELETE" });
  await collect();

  expect(world.deletion.contents()).toEqual([]);
  expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: false });
});

const byHand = { description: "made by hand" };
const marker = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });
test.each([
  ["another service type, even with a marker", { service_type: "lecture" }, false],
  ["other aliases and no marker", { ...byHand, aliases: [{ alias: "other@example.com" }] }, false],
  ["other aliases but our marker", { description: marker, aliases: [{ alias: "other" }] }, true],
  [
    "its name among its aliases and no marker",
    { ...byHand, aliases: [{ alias: "x" }, { alias: "ended" }] },
    true,
  ],
  ["no aliases and no marker", { ...byHand, aliases: [] }, true],
])("a room with %s is deleted only when it is ours", async (_, fields, isDeleted) => {
  await addEnded("ended", fields);
  world.clock.advance(600);
  await collect();

  expect(isThere("ended")).toBe(!isDeleted);
  expect(world.deletion.contents()).toEqual([]);
  expect(skipReasons()).toEqual(isDeleted ? [] : ["foreign"]);
});

test("a room in which people are is not deleted, and its message is removed: its real end brings another", async () => {
  await addEnded("room-a");
  world.platform.startConference({ name: "room-a", participants: 1 });
  world.clock.advance(600);
  await collect();

  expect(isThere("room-a")).toBe(true);
  expect(world.deletion.contents()).toEqual([]);
  expect(skipReasons()).toEqual(["live"]);
});

test("when the status API cannot be asked, the age alone decides, and a warning is logged", async () => {
  await addEnded("room-a");
  world.clock.advance(600);
  world.platform.addFault({ kind: "status", status: 403, pathPattern: "/status/v1/" });
  await collect();

  expect(isThere("room-a")).toBe(false);
  expect(world.log.events()).toContain("live-check-unavailable");
});

test("of a repeated name the youngest message decides, and the older ones are removed", async () => {
  await addEnded("room-a");
  world.clock.advance(300);
  await world.deletion.put("room-a");
  world.clock.advance(301);
  await collect();

  expect(isThere("room-a")).toBe(true);
  expect(world.deletion.contents()).toHaveLength(1);
  expect(skipReasons()).toEqual(["young", "repeated"]);
  world.clock.advance(299);
  await collect();
  expect(isThere("room-a")).toBe(false);
  expect(world.deletion.contents()).toEqual([]);
});

test.each([
  [20, 20],
  [40, 40],
  [100, 45],
])(
  "a run of at most %i messages takes %i of 45, in batches that the queue allows",
  async (maximum, taken) => {
    for (let index = 0; index < 45; index++) await addEnded(`room-${index}`);
    world.clock.advance(600);
    await collect(maximum);

    expect(world.platform.roomCount()).toBe(45 - taken);
    expect(world.deletion.contents()).toHaveLength(45 - taken);
  },
);

test("all pages of the platform's list are read once for a run, however many rooms end", async () => {
  world.platform.seedRooms({ count: 700, namePrefix: "other-" });
  for (let index = 0; index < 10; index++) await addEnded(`room-${index}`);
  world.clock.advance(600);
  await collect();

  expect(world.platform.roomCount()).toBe(700);
  expect(world.platform.requests().byRoute["GET /api/admin/configuration/v1/conference/"]).toBe(2);
});
