/** Claims on a healthy platform: success, the empty pool, unusable rooms, and the commit. */
import { beforeEach, describe, expect, test } from "vitest";
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import type { QueueFault } from "../../../tools/simulators/memory/queue.ts";
import { formatMarker } from "../../support/markers.ts";
import {
  guestPin,
  hostPin,
  leaseSeconds,
  maxRooms,
  serviceTag,
  usePoolWorld,
} from "../../support/pool-world.ts";

const world = usePoolWorld();
const poolExhausted = { code: "pool-exhausted", status: 404, details: { retryAfterSeconds: 10 } };
const claimFailed = { code: "claim-failed", status: 503, details: { retryAfterSeconds: 1 } };
const topUp = { reason: "bulk", upTo: maxRooms };

describe("A claim of a pooled room", () => {
  test("returns the room with the tag, deletes its message and requests one replacement", async () => {
    await world.addPooled("room-a");
    const [message] = world.pool.contents();

    expect(await world.claim()).toMatchObject({ name: "room-a", tag: serviceTag, guest_pin: guestPin });
    expect(world.room("room-a")?.tag).toBe(serviceTag);
    expect(parseMarker(world.room("room-a")?.description)).toEqual({
      gateway: world.gatewayName,
      state: "assigned",
      since: new Date(world.clock.now()).toISOString(),
      messageId: message?.id,
      fingerprint: roomFingerprint({}, hostPin),
    });
    expect(world.pool.contents()).toEqual([]);
    expect(world.requests()).toEqual([{ reason: "claimed" }]);
    expect(world.deletion.contents()).toEqual([]);
    expect(world.log.lines.map(({ event, fields }) => [event, fields])).toEqual([
      ["room-claimed", { room: "room-a" }],
    ]);
  });

  test("keeps the room's tag if the caller sends none", async () => {
    const tag = "https://verification.example.com/kept";
    await world.addPooled("room-a", { tag });

    expect((await world.claim({ serviceTag: undefined })).tag).toBe(tag);
    expect(world.room("room-a")?.tag).toBe(tag);
  });

  test("returns the room even if its replacement cannot be requested, and logs that", async () => {
    await world.addPooled("room-a");
    world.provisioning.strikeNext("put", { failure: "unknown" });

    expect(await world.claim()).toMatchObject({ name: "room-a" });
    expect(world.log.events()).toContain("replacement-failed");
  });
});

describe("A claim on an empty pool", () => {
  test("fails with 404 and Retry-After, and requests one room up to the maximum", async () => {
    await expect(world.claim()).rejects.toMatchObject(poolExhausted);
    expect(world.requests()).toEqual([topUp]);
    expect(world.log.events()).toEqual(["pool-empty"]);
  });
});

describe("A claim that receives an unusable name", () => {
  const assignedBy = (messageId: string | undefined) =>
    formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId });

  test("deletes the name and returns the next room if the room is missing from the platform", async () => {
    await world.pool.put("gone");
    await world.addPooled("room-b");

    expect(await world.claim()).toMatchObject({ name: "room-b" });
    expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "gone", reason: "room-missing" });
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    expect(world.requests()).toEqual([topUp, { reason: "claimed" }]);
  });

  test("returns the next room if one disappears before it is changed, and keeps its name", async () => {
    await world.addPooled("vanishing");
    await world.addPooled("room-b");
    world.platform.addFault({ kind: "status", status: 404, method: "PATCH", count: 1 });

    expect(await world.claim()).toMatchObject({ name: "room-b" });
    expect(world.pool.texts()).toEqual(["vanishing"]);
    expect(world.requests()).toEqual([{ reason: "claimed" }]);
  });

  test("keeps the whole pool if every change gets 404", async () => {
    for (let index = 0; index < 50; index++) await world.addPooled(`room-${index}`);
    world.platform.addFault({ kind: "status", status: 404, method: "PATCH" });

    for (let claim = 1; claim <= 5; claim++)
      await expect(world.claim()).rejects.toMatchObject({ code: "claim-failed" });
    expect(world.pool.texts()).toHaveLength(50);
    expect(world.platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"]).toBe(10);
  });

  test("requests one room, however many names it deletes", async () => {
    for (let index = 0; index < 10; index++) await world.pool.put(`gone-${index}`);

    await expect(world.claim()).rejects.toMatchObject({ code: "claim-failed" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.requests()).toEqual([topUp]);
  });

  test("discards a room that an unfinished claim assigned with the same message", async () => {
    await world.addPooled("room-a");
    const description = assignedBy(world.pool.contents()[0]?.id);
    await world.conferences.update(Number(world.room("room-a")?.id), { description });
    await world.addPooled("room-b");

    expect(await world.claim()).toMatchObject({ name: "room-b" });
    expect(world.deletionNames()).toEqual(["room-a"]);
    expect(world.room("room-a")).toMatchObject({ description, tag: "" });
  });

  test.each(["pooled", "assigned"] as const)(
    "deletes the name of a room that another gateway has %s, and leaves the room unchanged",
    async (state) => {
      const since = "2026-01-01T00:00:00.000Z";
      const description = formatMarker({ gateway: "production", state, since, messageId: "m-1" });
      // Even one that cannot be dialled, which the gateway would otherwise have deleted.
      for (const [name, aliases] of [["dialable", [{ alias: "dialable" }]] as const, ["silent", []] as const])
        await world.addPooled(name, { description, aliases });
      await world.addPooled("room-b");

      expect(await world.claim()).toMatchObject({ name: "room-b" });
      for (const name of ["dialable", "silent"])
        expect(world.room(name)).toMatchObject({ description, tag: "" });
      expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
      expect(world.log.fieldsOf("room-discarded")).toMatchObject({ reason: "other-gateway" });
    },
  );

  test("deletes the duplicate message of an assigned room and leaves the room unchanged", async () => {
    const tag = "https://verification.example.com/theirs";
    // Even one that cannot be dialled, which the gateway would otherwise have deleted.
    const fields = { description: assignedBy("other"), tag, aliases: [] };
    await world.addPooled("room-a", fields);
    await world.addPooled("room-b");

    expect(await world.claim()).toMatchObject({ name: "room-b" });
    expect(world.room("room-a")).toMatchObject(fields);
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    expect(world.requests()).toEqual([{ reason: "claimed" }]);
    expect(world.log.fieldsOf("duplicate-message")).toEqual({ room: "room-a", outcome: "deleted" });
  });

  test("fails with 503 and Retry-After after ten unusable names", async () => {
    for (let name = 0; name < 12; name++) await world.pool.put(`gone-${name}`);

    await expect(world.claim()).rejects.toMatchObject(claimFailed);
    expect(world.pool.texts()).toEqual(["gone-10", "gone-11"]);
  });
});

describe("The commit of a claim", () => {
  /** Claims `room-a` with these faults in the first deletes of its message. */
  async function claimWithDeleteFaults(...faults: QueueFault[]) {
    await world.addPooled("room-a");
    for (const fault of faults) world.pool.strikeNext("delete", fault);
    return world.claim();
  }
  const nearLeaseEnd = () => world.clock.advance(leaseSeconds - 5);

  test.each(["after", "before"] as const)(
    "deletes again and returns the room if the response was lost %s the delete",
    async (when) => {
      expect(await claimWithDeleteFaults({ failure: "unknown", when })).toMatchObject({ name: "room-a" });
      expect(world.pool.calls.filter((call) => call === "delete")).toHaveLength(2);
      expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    },
  );

  test.each<[string, QueueFault[]]>([
    ["stale at the first attempt", [{ failure: "receipt-stale" }]],
    ["stale at the second attempt", [{ failure: "unknown" }, { failure: "receipt-stale" }]],
  ])("fails with 503 and leaves the room to its new holder if the message is %s", async (_, faults) => {
    await expect(claimWithDeleteFaults(...faults)).rejects.toMatchObject(claimFailed);
    expect([...world.deletionNames(), ...world.requests()]).toEqual([]);
    expect(world.log.fieldsOf("claim-lost")).toEqual({ room: "room-a", message: "lost" });
  });

  test("fails with 503 and queues the room for deletion if bulk delete cleared the pool", async () => {
    const faults = [{ meanwhile: async () => world.pool.clear() }];
    await expect(claimWithDeleteFaults(...faults)).rejects.toMatchObject(claimFailed);
    expect(world.deletionNames()).toEqual(["room-a"]);
    expect(world.requests()).toEqual([]);
    expect(world.log.fieldsOf("claim-lost")).toEqual({ room: "room-a", message: "gone" });
  });

  test.each(["before", "after"] as const)(
    "fails with 503 and queues the room for deletion if two responses are lost, the first %s the delete",
    async (when) => {
      const faults = [{ failure: "unknown", when } as const, { failure: "unknown" } as const];
      await expect(claimWithDeleteFaults(...faults)).rejects.toMatchObject({ code: "claim-failed" });
      expect(world.deletionNames()).toEqual(["room-a"]);
      expect(world.requests()).toEqual([]);
    },
  );

  test("counts the lease from before the receive, however slow the response is", async () => {
    world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(10) });
    const fault: QueueFault = { failure: "unknown", when: "after", meanwhile: nearLeaseEnd };
    await expect(claimWithDeleteFaults(fault)).rejects.toMatchObject({ code: "claim-failed" });
  });

  test("deletes again and returns the room if the response is lost shortly before the lease ends", async () => {
    const fault: QueueFault = { failure: "unknown", when: "after", meanwhile: nearLeaseEnd };
    expect(await claimWithDeleteFaults(fault)).toMatchObject({ name: "room-a" });
    expect(world.deletionNames()).toEqual([]);
  });
});

describe("The commit of a claim and its replacement", () => {
  beforeEach(async () => world.addPooled("room-a"));

  test("are sent together", async () => {
    let requestsAtCommit: readonly unknown[] = ["not read"];
    world.pool.strikeNext("delete", {
      meanwhile: async () => {
        await new Promise(setImmediate);
        requestsAtCommit = world.requests();
      },
    });
    await world.claim();
    expect(requestsAtCommit).toEqual([{ reason: "claimed" }]);
  });

  test("wait for each other, so that nothing runs after the response", async () => {
    let isStored = false;
    world.provisioning.strikeNext("put", {
      meanwhile: async () => {
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        isStored = true;
      },
    });
    await world.claim();
    expect(isStored).toBe(true);
  });

  test("are left out if what is to run before them fails, so that nobody gets the room", async () => {
    const beforeCommit = async () => Promise.reject(new Error("struck"));
    await expect(world.claim({ beforeCommit })).rejects.toThrow("struck");
    expect([world.pool.texts().length, world.requests()]).toEqual([1, []]);
  });
});

test("The marker's time is the time at which the change is sent, not that at which it was queued", async () => {
  await world.addPooled("room-a");
  const update: Conferences["update"] = async (id, fields, limits) => {
    world.clock.advance(3);
    return world.conferences.update(id, fields, limits);
  };
  await world.claim({ conferences: { ...world.conferences, update } });
  const since = parseMarker(world.room("room-a")?.description)?.since;
  expect(since).toBe(new Date(world.clock.now()).toISOString());
});
