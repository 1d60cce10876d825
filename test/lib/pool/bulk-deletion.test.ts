/** Bulk delete: which rooms it deletes, in which order it empties the queues, and when it gives up. */
import { describe, expect, test } from "vitest";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { createBulkDeletion } from "../../../src/lib/pool/bulk-deletion.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const deleteAll = async (overrides: Partial<Conferences> = {}) =>
  createBulkDeletion({ ...world, conferences: { ...world.conferences, ...overrides } }).deleteAll(world.log);
const description = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });
const seedAssigned = (count: number) => world.platform.seedRooms({ count, fields: { description } });

/** Returns a delete that moves the clock forward by this many seconds at the first room. */
function slowDelete(seconds: number): Conferences["delete"] {
  let isFirst = true;
  const conferences = createConferences({
    call: async (request) => {
      const response = await world.client.call(request);
      if (isFirst) world.clock.advance(seconds);
      isFirst = false;
      return response;
    },
  });
  return async (id, limits) => conferences.delete(id, limits);
}

describe("Bulk delete", () => {
  test("deletes pooled and assigned rooms and empties the pool and the provisioning queue", async () => {
    for (let index = 0; index < 5; index++) await world.addPooled(`pooled-${index}`);
    world.addRoom("in-use", { description });
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    await deleteAll();

    expect(world.roomNames()).toEqual([]);
    expect([...world.pool.texts(), ...world.provisioning.texts()]).toEqual([]);
  });

  test("deletes pooled rooms without a marker", async () => {
    await world.addPooled("room-a", { description: "" });
    await deleteAll();
    expect(world.roomNames()).toEqual([]);
  });

  test("keeps persistent rooms, rooms of others and services that are not rooms", async () => {
    await world.addPooled("test_room");
    await world.addPooled("vkiosk_1");
    world.addRoom("theirs", { description: "created manually" });
    world.addRoom("lecture", { service_type: "lecture" });
    world.platform.seedRooms({ mixed: true });
    const before = world.roomNames();
    await deleteAll();

    expect(world.roomNames()).toEqual(before);
  });

  test("deletes the rooms on all pages of the list", async () => {
    world.platform.setBehaviour({ maxPageSize: 20 });
    seedAssigned(130);
    await deleteAll();
    expect(world.platform.roomCount()).toBe(0);
  });

  test("logs each deleted room", async () => {
    await world.addPooled("room-a");
    await deleteAll();
    expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: true });
  });

  test("ends after one list if the platform has no room of the gateway", async () => {
    await deleteAll();
    expect(world.log.events()).toEqual(["bulk-deleted"]);
    expect(world.platform.requests().total).toBe(1);
  });

  test("sends no more concurrent deletes than the client allows, and never deletes the whole list", async () => {
    seedAssigned(30);
    world.platform.setLatency({ milliseconds: 5 });
    await deleteAll();

    expect(world.platform.requests().maxInFlight).toBeLessThanOrEqual(5);
    expect(world.platform.requests().listWipeAttempts).toBe(0);
  });

  test("makes a concurrent claim fail instead of returning a deleted room", async () => {
    await world.addPooled("room-a");
    world.pool.strikeNext("delete", { meanwhile: async () => deleteAll() });

    await expect(world.claim()).rejects.toMatchObject({ code: "claim-failed" });
    expect(world.roomNames()).toEqual([]);
  });
});

describe("Bulk delete and the queues", () => {
  test("clears the provisioning queue before it receives from the pool", async () => {
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    await world.addPooled("room-a");
    const pending: unknown[] = [];
    world.pool.strikeNext("receive", { meanwhile: () => void pending.push(...world.provisioning.texts()) });
    await deleteAll();

    expect(world.pool.calls).toContain("receive");
    expect(pending).toEqual([]);
  });

  test("keeps received names invisible to claims while it receives the rest", async () => {
    for (let index = 0; index < 33; index++) await world.addPooled(`room-${index}`);
    let visible: readonly unknown[] = ["not read"];
    world.pool.strikeNext("receive", {});
    world.pool.strikeNext("receive", {
      meanwhile: () => {
        world.clock.advance(299);
        const now = world.clock.now();
        visible = world.pool.contents().filter(({ visibleAt }) => visibleAt <= now);
      },
    });
    await deleteAll();

    expect(visible).toHaveLength(1);
    expect(world.platform.roomCount()).toBe(0);
  });

  test("queues pooled rooms for deletion if the platform is unavailable", async () => {
    await world.addPooled("room-a", { description: "" });
    world.platform.addFault({ kind: "status", status: 503, method: "GET" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(world.deletion.texts()).toEqual(["room-a"]);
    expect(world.pool.texts()).toEqual([]);
  });

  test("deletes no room if a queue is unavailable", async () => {
    await world.addPooled("room-a");
    world.provisioning.strikeNext("clear", { failure: "unknown" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.roomNames()).toEqual(["room-a"]);
  });
});

describe("The passes of bulk delete", () => {
  test("delete a room that appears between two lists", async () => {
    world.addRoom("room-a");
    let lists = 0;
    const list = async () => {
      lists += 1;
      if (lists === 2) world.addRoom("late");
      return world.conferences.list();
    };
    await deleteAll({ list });

    expect(world.roomNames()).toEqual([]);
    expect(lists).toBe(3);
  });

  test("delete rooms that failed once", async () => {
    seedAssigned(10);
    world.platform.addFault({ kind: "status", status: 409, method: "DELETE", count: 4 });
    await deleteAll();
    expect(world.platform.roomCount()).toBe(0);
  });

  test("delete the other rooms and end with 503 and Retry-After if one room always fails", async () => {
    const failing = world.addRoom("failing");
    seedAssigned(5);
    world.platform.addFault({ kind: "status", status: 403, method: "DELETE", pathPattern: `/${failing}/$` });

    await expect(deleteAll()).rejects.toMatchObject({
      code: "bulk-delete-incomplete",
      status: 503,
      details: { retryAfterSeconds: 30, cause: { platformStatus: 403 } },
    });
    expect(world.roomNames()).toEqual(["failing"]);
    world.platform.clearFaults();
    await deleteAll();
    expect(world.roomNames()).toEqual([]);
  });

  test("end after three without progress, one second apart", async () => {
    world.addRoom("failing", { description });
    world.platform.addFault({ kind: "status", status: 403, method: "DELETE" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "bulk-delete-incomplete" });
    expect(world.clock.sleeps).toEqual([1000, 1000]);
    expect(world.platform.requests().byRoute["DELETE /api/admin/configuration/v1/conference/{id}/"]).toBe(3);
  });

  test("end with 503 and Retry-After if 180 s have passed before the next one", async () => {
    seedAssigned(10);
    let deletes = 0;
    const deleteThirdSlowly: Conferences["delete"] = async (id) => {
      deletes += 1;
      if (deletes === 3) world.clock.advance(180);
      return world.conferences.delete(id);
    };
    const listOne = async () => (await world.conferences.list()).slice(0, 1);

    await expect(deleteAll({ list: listOne, delete: deleteThirdSlowly })).rejects.toMatchObject({
      code: "bulk-delete-incomplete",
      details: { retryAfterSeconds: 30 },
    });
    expect(world.platform.roomCount()).toBe(7);
  });

  test("send no further delete once 180 s have passed within a pass", async () => {
    seedAssigned(30);
    const deletion = deleteAll({ delete: slowDelete(180) });
    await expect(deletion).rejects.toMatchObject({ code: "bulk-delete-incomplete" });
    expect(world.platform.roomCount()).toBeGreaterThan(15);
  });

  test("send deletes for up to 180 s, longer than a single call may wait", async () => {
    seedAssigned(30);
    let lists = 0;
    const list = async () => (lists++ === 0 ? world.conferences.list() : []);
    await deleteAll({ list, delete: slowDelete(179) });
    expect(world.platform.roomCount()).toBe(0);
  });
});
