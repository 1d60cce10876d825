/** Bulk delete: which rooms it deletes, in which order it empties the queues, and when it gives up. */
import { describe, expect, test } from "vitest";
import { createBulkDeletion } from "../../../src/lib/deletion/bulk-deletion.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { formatMarker, otherGateway } from "../../support/markers.ts";
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
  test("deletes pooled and assigned rooms and empties the pool and the provisioning queue, and queues unmarked rooms", async () => {
    for (let index = 0; index < 5; index++) await world.addPooled(`pooled-${index}`);
    for (const name of ["by-hand-1", "by-hand-2"]) await world.addPooled(name, { description: "" });
    world.addRoom("in-use", { description });
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    await deleteAll();

    expect(world.roomNames()).toEqual([]);
    expect([...world.pool.texts(), ...world.provisioning.texts()]).toEqual([]);
    expect(world.log.fieldsOf("bulk-deleted")).toEqual({ rooms: 8 });
    const queued = (room: string) => `{"room":"${room}","queuedBy":"gateway","reason":"bulk-delete"}`;
    expect(world.deletion.texts()).toEqual(["by-hand-1", "by-hand-2"].map(queued));
  });

  test("keeps persistent rooms, foreign rooms, those of another gateway and services that are not rooms", async () => {
    const since = "2026-01-01T00:00:00.000Z";
    const theirs = { description: formatMarker({ gateway: otherGateway, state: "pooled", since }) };
    const manual = { description: "created manually" };
    await world.addPooled("test_room", manual);
    world.addRoom("made-by-hand", manual);
    world.addRoom("theirs", theirs);
    await world.addPooled("theirs-in-our-pool", theirs);
    await world.addPooled("lecture", { service_type: "lecture", ...manual });
    world.platform.seedRooms({ mixed: true });
    const before = world.roomNames();
    await deleteAll();

    expect(world.roomNames()).toEqual(before);
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
  });

  test.each([
    ["deletes", "shows", 60, []],
    ["keeps", "missed", -4, ["room-a"]],
    ["deletes", "missed", -6, []],
  ])("%s a room that its first list %s and that was assigned %i s after its start", async (...given) => {
    const [, list, seconds, left] = given;
    const since = new Date(world.clock.now() + seconds * 1000).toISOString();
    const fields = { description: formatMarker({ state: "assigned", since, messageId: "m" }) };
    const add = () => void world.addRoom("room-a", fields);
    if (list === "shows") add();
    await deleteAll(list === "missed" ? { list: afterFirstList(add) } : {});
    expect(world.roomNames()).toEqual(left);
  });
});

describe("Bulk delete and the queues", () => {
  test("clears the provisioning queue first, and keeps received names invisible while it receives the rest", async () => {
    for (let index = 0; index < 33; index++) await world.addPooled(`room-${index}`);
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    const seen: unknown[] = [];
    const look = () => {
      world.clock.advance(70);
      const visible = world.pool.contents().filter(({ visibleAt }) => visibleAt <= world.clock.now());
      seen.push({ requests: world.provisioning.texts().length, visible: visible.length });
    };
    for (let receive = 1; receive <= 2; receive++) world.pool.strikeNext("receive", { meanwhile: look });
    await deleteAll();
    expect(seen).toEqual([33, 1].map((visible) => ({ requests: 0, visible })));
  });

  test("removes no room and no name after a suspension that was longer than its leases", async () => {
    await world.addPooled("room-a");
    world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(300) });
    const failed = { code: "bulk-delete-incomplete", details: { retryAfterSeconds: 60 } };
    await expect(deleteAll()).rejects.toMatchObject(failed);
    expect([world.roomNames(), world.pool.texts()]).toEqual([["room-a"], ["room-a"]]);
  });

  test("changes nothing if the list fails", async () => {
    await world.addPooled("room-a", { description: "" });
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    world.platform.addFault({ status: 403, method: "GET" });

    await expect(deleteAll()).rejects.toBeInstanceOf(PlatformError);
    expect(world.pool.texts()).toEqual(["room-a"]);
    expect(world.provisioning.texts()).toHaveLength(1);
    expect(await world.pool.receive(1, 60)).toHaveLength(1);
  });
});

describe("The passes of bulk delete", () => {
  test("go on if a list fails", async () => {
    seedAssigned(1);
    const refused = { kind: "status", status: 403, method: "GET", count: 1 } as const;
    await deleteAll({ list: afterFirstList(() => world.platform.addFault(refused)) });
    expect(world.platform.roomCount()).toBe(0);
  });

  test("count a room once whose first deletion gets 404", async () => {
    seedAssigned(2);
    world.platform.addFault({ kind: "status", status: 404, method: "DELETE", count: 1 });
    await deleteAll();
    expect(world.log.fieldsOf("bulk-deleted")).toEqual({ rooms: 2 });
  });

  test("end with the failure of the last list if all lists after the first fail", async () => {
    seedAssigned(1);
    const refused = { kind: "status", status: 403, method: "GET" } as const;
    const list = afterFirstList(() => world.platform.addFault(refused));
    const failed = { code: "bulk-delete-incomplete", details: { cause: { platformStatus: 403 } } };
    await expect(deleteAll({ list })).rejects.toMatchObject(failed);
  });

  test("delete the other rooms, and end with 503 and Retry-After after three if one room always fails", async () => {
    const failing = world.addRoom("failing");
    seedAssigned(5);
    world.platform.addFault({ kind: "status", status: 403, method: "DELETE", pathPattern: `/${failing}/$` });

    await expect(deleteAll()).rejects.toMatchObject({
      code: "bulk-delete-incomplete",
      status: 503,
      details: { retryAfterSeconds: 30, cause: { platformStatus: 403 } },
    });
    expect(world.roomNames()).toEqual(["failing"]);
    expect(world.clock.sleeps).toEqual([1000, 1000, 1000]);
    expect(deletes()).toBe(5 + 3);
    world.platform.clearFaults();
    await deleteAll();
    expect(world.roomNames()).toEqual([]);
  });

  test("end although rooms are made all the time", async () => {
    let lists = 0;
    const list: Conferences["list"] = async (limits) => {
      lists += 1;
      await world.addPooled(`new-${lists}`);
      return world.conferences.list(limits);
    };
    await deleteAll({ list });
    expect(lists).toBe(4);
    expect(world.roomNames()).toEqual(["new-4"]);
    expect(world.pool.texts()).toEqual(["new-4"]);
  });
});
