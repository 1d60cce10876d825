/** Bulk delete: everything that is ours goes, nothing else does, and 204 means that it is done. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createBulkDeletion } from "../../../src/lib/pool/bulk-deletion.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import {
  conferencesWithSlowDelete,
  maxClaimsAtOnce,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
} from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const deleteAll = async (conferences: Pick<Conferences, "list" | "delete"> = world.conferences) =>
  createBulkDeletion({ ...world, conferences }).deleteAll(world.log);
const roomNames = () => world.platform.rooms().map(({ name }) => name);
const assigned = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });

test("pooled and handed-out rooms are deleted, and pool and provisioning queue are empty", async () => {
  for (let index = 0; index < 5; index++) await world.addPooled(`pooled-${index}`);
  world.addRoom("in-use", { description: assigned });
  await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
  await deleteAll();

  expect(roomNames()).toEqual([]);
  expect([...world.pool.texts(), ...world.provisioning.texts()]).toEqual([]);
});

test("pooled rooms without a marker are deleted", async () => {
  await world.addPooled("room-a", { description: "" });
  await deleteAll();

  expect(roomNames()).toEqual([]);
});

test("persistent rooms, other people's rooms and services that are no rooms stay", async () => {
  await world.addPooled("test_room");
  await world.addPooled("vkiosk_1");
  world.addRoom("theirs", { description: "made by hand" });
  world.addRoom("lecture", { service_type: "lecture" });
  world.platform.seedRooms({ mixed: true });
  const before = roomNames();
  await deleteAll();

  expect(roomNames()).toEqual(before);
});

test("rooms on many pages are all deleted", async () => {
  world.platform.setBehaviour({ maxPageSize: 20 });
  world.platform.seedRooms({ count: 130, fields: { description: assigned } });
  await deleteAll();

  expect(world.platform.roomCount()).toBe(0);
});

test("a platform without any room of ours is done at once", async () => {
  await deleteAll();
  expect(world.log.events()).toEqual(["bulk-deleted"]);
});

test("a room that appears between two passes is deleted too", async () => {
  world.addRoom("room-a");
  let lists = 0;
  const list = async () => {
    lists += 1;
    if (lists === 2) world.addRoom("late");
    return world.conferences.list();
  };
  await deleteAll({ ...world.conferences, list });

  expect(roomNames()).toEqual([]);
  expect(lists).toBe(3);
});

test("rooms that fail once are deleted by a further pass", async () => {
  world.platform.seedRooms({ count: 10, fields: { description: assigned } });
  world.platform.addFault({ kind: "status", status: 409, method: "DELETE", count: 4 });
  await deleteAll();

  expect(world.platform.roomCount()).toBe(0);
});

test("rooms that cannot be deleted end it: 503 with Retry-After, the others are deleted, a repeat finishes", async () => {
  const stubborn = world.addRoom("stubborn");
  world.platform.seedRooms({ count: 5, fields: { description: assigned } });
  world.platform.addFault({ kind: "status", status: 403, method: "DELETE", pathPattern: `/${stubborn}/$` });

  await expect(deleteAll()).rejects.toMatchObject({
    code: "bulk-delete-incomplete",
    status: 503,
    details: { retryAfterSeconds: 30, cause: { platformStatus: 403 } },
  });
  expect(roomNames()).toEqual(["stubborn"]);
  world.platform.clearFaults();
  await deleteAll();
  expect(roomNames()).toEqual([]);
});

test("after 180 s no further deletion begins: 503 with Retry-After", async () => {
  world.platform.seedRooms({ count: 10, fields: { description: assigned } });
  let deletions = 0;
  const slowDelete: Conferences["delete"] = async (id) => {
    deletions += 1;
    if (deletions === 3) world.clock.advance(180);
    return world.conferences.delete(id);
  };
  const oneByOne = async () => (await world.conferences.list()).slice(0, 1);

  await expect(deleteAll({ list: oneByOne, delete: slowDelete })).rejects.toMatchObject({
    code: "bulk-delete-incomplete",
    details: { retryAfterSeconds: 30 },
  });
  expect(world.platform.roomCount()).toBe(7);
});

test("when the platform cannot be reached, pooled rooms go to the deletion queue, so that none is lost", async () => {
  await world.addPooled("room-a", { description: "" });
  world.platform.addFault({ kind: "status", status: 503, method: "GET" });

  await expect(deleteAll()).rejects.toMatchObject({ code: "platform-unavailable" });
  expect(world.deletion.texts()).toEqual(["room-a"]);
  expect(world.pool.texts()).toEqual([]);
});

test("when a queue cannot be reached, no room is deleted", async () => {
  await world.addPooled("room-a");
  world.provisioning.strikeNext("clear", { failure: "unknown" });

  await expect(deleteAll()).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(roomNames()).toEqual(["room-a"]);
});

test("a claim that runs meanwhile hands out no room that is deleted", async () => {
  await world.addPooled("room-a");
  world.pool.strikeNext("delete", { meanwhile: async () => deleteAll() });
  const claims = createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce });

  await expect(claims.claim(undefined, world.log)).rejects.toMatchObject({ code: "claim-failed" });
  expect(roomNames()).toEqual([]);
});

test("the platform never sees more deletions at once than the client may send", async () => {
  world.platform.seedRooms({ count: 30, fields: { description: assigned } });
  world.platform.setLatency({ milliseconds: 5 });
  await deleteAll();

  expect(world.platform.requests().maxInFlight).toBeLessThanOrEqual(5);
  expect(world.platform.requests().listWipeAttempts).toBe(0);
});

test("after 180 s no further deletion is sent, also within a pass", async () => {
  world.platform.seedRooms({ count: 30, fields: { description: assigned } });

  await expect(deleteAll(conferencesWithSlowDelete(world, 180))).rejects.toMatchObject({
    code: "bulk-delete-incomplete",
  });
  expect(world.platform.roomCount()).toBeGreaterThan(15);
});
