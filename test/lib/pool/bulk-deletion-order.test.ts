/** Bulk delete: in which order the queues are emptied, and what it does while rooms resist. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createBulkDeletion } from "../../../src/lib/pool/bulk-deletion.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { conferencesWithSlowDelete, type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const deleteAll = async (conferences: Pick<Conferences, "list" | "delete"> = world.conferences) =>
  createBulkDeletion({ ...world, conferences }).deleteAll(world.log);
const assigned = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });

test("requests for new rooms are cleared first, so that none refills the pool while it is emptied", async () => {
  await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
  await world.addPooled("room-a");
  const waiting: unknown[] = [];
  world.pool.strikeNext("receive", { meanwhile: () => void waiting.push(...world.provisioning.texts()) });
  await deleteAll();

  expect(world.pool.calls).toContain("receive");
  expect(waiting).toEqual([]);
});

test("a name that was taken out of the pool cannot be claimed while the rest is taken out", async () => {
  for (let index = 0; index < 33; index++) await world.addPooled(`room-${index}`);
  let visible: readonly unknown[] = ["not looked"];
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

test("rooms that resist are tried again after a second, three passes in vain at most", async () => {
  world.addRoom("stubborn", { description: assigned });
  world.platform.addFault({ kind: "status", status: 403, method: "DELETE" });

  await expect(deleteAll()).rejects.toMatchObject({ code: "bulk-delete-incomplete" });
  expect(world.clock.sleeps).toEqual([1000, 1000]);
  expect(world.platform.requests().byRoute["DELETE /api/admin/configuration/v1/conference/{id}/"]).toBe(3);
});

test("a pass goes on for as long as bulk delete may last, longer than a single call may wait", async () => {
  world.platform.seedRooms({ count: 30, fields: { description: assigned } });
  const conferences = conferencesWithSlowDelete(world, 179);
  let lists = 0;
  const list = async () => {
    lists += 1;
    return lists === 1 ? conferences.list() : [];
  };
  await deleteAll({ ...conferences, list });

  expect(world.platform.roomCount()).toBe(0);
});

test("each room that was deleted is logged", async () => {
  await world.addPooled("room-a");
  await deleteAll();

  expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: true });
});
