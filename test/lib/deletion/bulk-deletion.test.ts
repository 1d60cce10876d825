/** Bulk delete: which rooms it deletes, in which order it empties the queues, and when it gives up. */
import { describe, expect, test } from "vitest";
import { createBulkDeletion } from "../../../src/lib/deletion/bulk-deletion.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { formatMarker } from "../../support/markers.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

/** Deletes in the background, like the app: such calls wait for every pause of the client, whose length is random. */
async function deleteAll(overrides: Partial<Conferences> = {}): Promise<void> {
  const conferences = { ...createConferences(world.client.background), ...overrides };
  await createBulkDeletion({ ...world, conferences }).deleteAll(world.log);
}
const description = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });
const deletes = () =>
  world.platform.requests().byRoute["DELETE /api/admin/configuration/v1/conference/{id}/"];
const seedAssigned = (count: number) => world.platform.seedRooms({ count, fields: { description } });

/** Returns a list that does something once, after it has read the platform for the first time. */
function afterFirstList(next: () => unknown): Conferences["list"] {
  let lists = 0;
  return async (limits) => {
    const rooms = await world.conferences.list(limits);
    lists += 1;
    if (lists === 1) await next();
    return rooms;
  };
}

describe("Bulk delete", () => {
  test("deletes pooled and assigned rooms and empties the pool and the provisioning queue", async () => {
    for (let index = 0; index < 5; index++) await world.addPooled(`pooled-${index}`);
    world.addRoom("in-use", { description });
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    await deleteAll();

    expect(world.roomNames()).toEqual([]);
    expect([...world.pool.texts(), ...world.provisioning.texts()]).toEqual([]);
    expect(world.log.fieldsOf("bulk-deleted")).toEqual({ rooms: 6 });
  });

  test("deletes pooled rooms without a marker", async () => {
    await world.addPooled("room-a", { description: "" });
    await deleteAll();
    expect(world.roomNames()).toEqual([]);
  });

  test("keeps persistent rooms, foreign rooms, those of another gateway and services that are not rooms", async () => {
    await world.addPooled("test_room");
    await world.addPooled("vkiosk_1");
    world.addRoom("theirs", { description: "created manually" });
    for (const state of ["pooled", "assigned"] as const) {
      const fields = {
        description: formatMarker({ gateway: "production", state, since: "2026-01-01T00:00:00.000Z" }),
      };
      world.addRoom(`their-${state}`, fields);
      await world.addPooled(`their-${state}-in-our-pool`, fields);
    }
    await world.addPooled("lecture", { service_type: "lecture", description: "created manually" });
    world.platform.seedRooms({ mixed: true });
    const before = world.roomNames();
    await deleteAll();

    expect(world.roomNames()).toEqual(before);
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
  });

  test("deletes a room whose name was still invisible and whose list was read before it existed", async () => {
    const provisionLate = async () => {
      world.addRoom("ready-in-90-s");
      await world.pool.put("ready-in-90-s", { invisibleSeconds: 90 });
      world.clock.advance(1);
    };
    await deleteAll({ list: afterFirstList(provisionLate) });
    expect(world.roomNames()).toEqual([]);
  });

  test.each([0, 0.5, 2])(
    "deletes no room that is provisioned while it runs, by a clock that is %d s slow, and then handed out",
    async (slowSeconds) => {
      await world.addPooled("room-a");
      const since = () => new Date(world.clock.now() - slowSeconds * 1000).toISOString();
      let lists = 0;
      const list: Conferences["list"] = async (limits) => {
        lists += 1;
        if (lists === 2)
          await world.addPooled("new", { description: formatMarker({ state: "pooled", since: since() }) });
        return world.conferences.list(limits);
      };
      const claimed: string[] = [];
      const provisioning = {
        ...world.provisioning,
        clear: async () => {
          // After the second list, and before the pool is emptied.
          if (lists === 2) claimed.push((await world.claim()).name);
          await world.provisioning.clear();
        },
      };
      const conferences = { ...createConferences(world.client.background), list };
      await createBulkDeletion({ ...world, provisioning, conferences }).deleteAll(world.log);
      expect(claimed).toEqual(["new"]);
      expect(world.roomNames()).toEqual(["new"]);
    },
  );

  test.each([0, 2])(
    "keeps a room that was handed out after the list by an instance whose clock is %f s slow",
    async (slow) => {
      await world.addPooled("room-a");
      const clock = { ...world.clock, now: () => world.clock.now() - slow * 1000 };
      await deleteAll({ list: afterFirstList(async () => world.claim({ clock })) });
      expect(world.roomNames()).toEqual(["room-a"]);
    },
  );

  test("deletes a room that was handed out before the list, whatever the time in its marker", async () => {
    const since = new Date(world.clock.now() + 60_000).toISOString();
    world.addRoom("room-a", { description: formatMarker({ state: "assigned", since, messageId: "m" }) });
    await deleteAll();
    expect(world.roomNames()).toEqual([]);
  });

  test.each([
    ["keeps", 4, ["room-a"]],
    ["deletes", 6, []],
  ])(
    "%s an assigned room that its first list missed and whose time is %i s before its start",
    async (_, seconds, left) => {
      const since = new Date(world.clock.now() - seconds * 1000).toISOString();
      const fields = { description: formatMarker({ state: "assigned", since, messageId: "m" }) };
      await deleteAll({ list: afterFirstList(() => void world.addRoom("room-a", fields)) });
      expect(world.roomNames()).toEqual(left);
    },
  );

  test("keeps a room that is handed out between its last list and the delete", async () => {
    await world.addPooled("room-a", {});
    // A claim holds the message, so its name is not received.
    world.pool.strikeNext("receive", {});
    const [message] = await world.pool.receive(1, 300);
    let lookUps = 0;
    const findByName: Conferences["findByName"] = async (...input) => {
      const row = world.room("room-a");
      const since = new Date(world.clock.now() - 60_000).toISOString();
      const marker = formatMarker({ state: "assigned", since, messageId: message?.id });
      if (++lookUps === 1 && row) await world.conferences.update(row.id, { description: marker });
      return world.conferences.findByName(...input);
    };
    await deleteAll({ findByName });
    expect(world.roomNames()).toEqual(["room-a"]);
    expect(lookUps).toBe(1);
  });

  test("queues no room that is still in the pool if it stops halfway", async () => {
    await world.addPooled("room-a");
    world.pool.strikeNext("receive", {});
    world.pool.strikeNext("receive", { failure: "unknown" });
    const list = afterFirstList(async () => world.addPooled("made-after-the-list"));
    await expect(deleteAll({ list })).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.deletion.texts()).toEqual([]);
  });

  test("queues unmarked rooms for deletion before it clears the pool, and leaves their names leased if it fails", async () => {
    await world.addPooled("unmarked", { description: "from the service before this one" });
    await world.addPooled("marked");
    world.pool.strikeNext("clear", { failure: "unknown" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.deletion.texts()).toEqual([
      '{"room":"unmarked","queuedBy":"gateway","reason":"bulk-delete"}',
    ]);
    expect(world.pool.texts()).toHaveLength(2);
    expect(await world.pool.receive(2, 1)).toEqual([]);
  });

  test("clears no name whose unmarked room could not be queued for deletion", async () => {
    await world.addPooled("unmarked", { description: "from the service before this one" });
    world.deletion.strikeNext("put", { failure: "unknown" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.pool.texts()).toEqual(["unmarked"]);
    expect(world.roomNames()).toEqual(["unmarked"]);
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
        world.clock.advance(149);
        const now = world.clock.now();
        visible = world.pool.contents().filter(({ visibleAt }) => visibleAt <= now);
      },
    });
    await deleteAll();

    expect(visible).toHaveLength(1);
    expect(world.platform.roomCount()).toBe(0);
  });

  test("deletes no room that was handed out while it was suspended for longer than its leases", async () => {
    await world.addPooled("marked");
    await world.addPooled("unmarked", { description: "from the service before this one" });
    const receive = async (...input: Parameters<typeof world.pool.receive>) => {
      const messages = await world.pool.receive(...input);
      world.clock.advance(300);
      await world.claim();
      return messages;
    };
    const conferences = createConferences(world.client.background);
    const bulkDeletion = createBulkDeletion({ ...world, pool: { ...world.pool, receive }, conferences });

    const failed = { code: "bulk-delete-incomplete", details: { retryAfterSeconds: 60 } };
    await expect(bulkDeletion.deleteAll(world.log)).rejects.toMatchObject(failed);
    await world.claim();
    expect(world.deletionNames()).toEqual([]);
    expect(world.roomNames()).toEqual(["marked", "unmarked"]);
  });

  test("changes nothing if the list fails", async () => {
    await world.addPooled("room-a", { description: "" });
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    world.platform.addFault({ kind: "status", status: 403, method: "GET" });

    await expect(deleteAll()).rejects.toBeInstanceOf(PlatformError);
    expect(world.pool.texts()).toEqual(["room-a"]);
    expect(world.provisioning.texts()).toHaveLength(1);
    expect(await world.pool.receive(1, 60)).toHaveLength(1);
  });
});

describe("The passes of bulk delete", () => {
  test("go on if a list fails", async () => {
    seedAssigned(1);
    let lists = 0;
    const list: Conferences["list"] = async (limits) => {
      if (++lists === 2) throw new PlatformError({ outcome: "unknown", message: "GET" });
      return world.conferences.list(limits);
    };
    await deleteAll({ list });
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

  test("end although rooms are made all the time", async () => {
    let lists = 0;
    const list: Conferences["list"] = async (limits) => {
      await world.addPooled(`new-${(lists += 1)}`);
      return world.conferences.list(limits);
    };
    await deleteAll({ list });
    expect(lists).toBe(4);
    expect(world.roomNames()).toEqual(["new-4"]);
    expect(world.pool.texts()).toEqual(["new-4"]);
  });

  test("end after three without progress, one second apart", async () => {
    world.addRoom("failing", { description });
    world.platform.addFault({ kind: "status", status: 403, method: "DELETE" });

    await expect(deleteAll()).rejects.toMatchObject({ code: "bulk-delete-incomplete" });
    expect(world.clock.sleeps).toEqual([1000, 1000, 1000]);
    expect(deletes()).toBe(3);
  });
});
