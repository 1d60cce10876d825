/** Provisioning of one room: the new room, requests that are dropped, and failures of the platform and the queues. */
import { describe, expect, test } from "vitest";
import { decodeRoomMessage, parseMarker } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import {
  createProvisioning,
  type ProvisioningOptions,
  provisioningTimes,
} from "../../../src/lib/pool/provisioning.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import type { QueueFault } from "../../../tools/simulators/memory/queue.ts";
import {
  hostPin,
  leaseSeconds,
  maxRooms,
  platformTimeoutSeconds,
  usePoolWorld,
} from "../../support/pool-world.ts";

const world = usePoolWorld();

interface Serving extends Partial<ProvisioningOptions> {
  readonly request?: unknown;
  readonly dequeueCount?: number;
}

const instance = (options: Partial<ProvisioningOptions> = {}) =>
  createProvisioning({
    ...world,
    random: secureRandom,
    hostPin,
    template: {},
    maxRooms,
    readyDelaySeconds: 0,
    leaseSeconds,
    platformTimeoutSeconds,
    ...options,
  });

async function provision({ request, dequeueCount, ...options }: Serving = {}): Promise<void> {
  const provisioning = instance(options);
  await provisioning.provision(request ?? { reason: "claimed" }, dequeueCount ?? 1, world.log);
}

const deletionReasons = () => world.deletion.texts().map((text) => decodeRoomMessage(text).reason);

describe("Provisioning", () => {
  test("creates a room under the pooled name, with alias, PINs, template fields and a pooled marker", async () => {
    await provision({ template: { host_view: "two_mains_twentyone_pips" } });

    const [name = ""] = world.pool.texts();
    expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{23}$/);
    expect(world.room(name)).toMatchObject({
      service_type: "conference",
      aliases: [{ alias: name }],
      pin: hostPin,
      guest_pin: expect.stringMatching(/^\d{6}$/),
      allow_guests: true,
      tag: "",
      host_view: "two_mains_twentyone_pips",
    });
    expect(parseMarker(world.room(name)?.description)?.state).toBe("pooled");
    expect(await world.pool.receive(1, 60)).toMatchObject([{ text: name }]);
    expect(world.log.fieldsOf("room-provisioned")).toEqual({ room: name, reason: "claimed" });
  });

  test("gives the guest PIN a final # if the host PIN has one", async () => {
    await provision({ hostPin: "482913#" });
    const [name = ""] = world.pool.texts();
    expect(world.room(name)).toMatchObject({ pin: "482913#", guest_pin: expect.stringMatching(/^\d{6}#$/) });
  });

  test.each([
    ["the default settings", 300, 10, { createSeconds: 30, invisibleSeconds: 600, startSeconds: 120 }],
    ["a short lease", 100, 10, { createSeconds: 30, invisibleSeconds: 200, startSeconds: 110 }],
    ["short lease, long timeout", 40, 20, { createSeconds: 60, invisibleSeconds: 240, startSeconds: 60 }],
  ])("leaves time for a look-up before the name is visible, with %s", async (_, lease, timeout, expected) => {
    const startedAt = world.clock.now();
    let seen: object = {};
    const create: Conferences["create"] = async (fields, limits) => {
      const [message] = world.pool.contents();
      seen = {
        createSeconds: limits?.timeoutSeconds,
        startSeconds: ((limits?.startBefore ?? Number.NaN) - startedAt) / 1000,
        invisibleSeconds: ((message?.visibleAt ?? Number.NaN) - startedAt) / 1000,
      };
      await world.conferences.create(fields, limits);
    };

    const conferences = { ...world.conferences, create };
    await provision({ conferences, leaseSeconds: lease, platformTimeoutSeconds: timeout });
    expect(seen).toEqual(expected);
  });
});

describe("A provisioning request", () => {
  const claimed = { reason: "claimed" };
  const bulk = (upTo: number) => ({ reason: "bulk", upTo });

  test("waits until the one before it has put its name, so that one instance never exceeds a level", async () => {
    const provisioning = instance();
    await Promise.all(Array.from({ length: 20 }, async () => provisioning.provision(bulk(12), 1, world.log)));
    expect(world.pool.texts()).toHaveLength(12);
    expect(world.platform.roomCount()).toBe(12);
  });

  test.each([
    ["a replacement is served if the pool is full", claimed, 1, maxRooms, 0, 1],
    ["a retried replacement is dropped if the pool is full", claimed, 2, maxRooms, 0, 0],
    ["a retried replacement is served if the pool is not full", claimed, 2, maxRooms - 1, 0, 1],
    ["a bulk request is served if the pool is below its level", bulk(3), 1, 2, 0, 1],
    ["a bulk request is dropped if the pool is at its level", bulk(3), 1, 3, 0, 0],
    ["a bulk request is dropped if the pool is above its level", bulk(3), 1, 4, 0, 0],
    ["a bulk request above the maximum is served if the pool is full", bulk(100), 1, maxRooms, 0, 1],
    ["a retried bulk request above the maximum is served if the pool is full", bulk(100), 2, maxRooms, 0, 1],
    ["a retried bulk request is served if the pool is not full", bulk(maxRooms), 2, maxRooms - 1, 0, 1],
    ["a bulk request is served even if pending requests reach its level", bulk(3), 1, 1, 3, 1],
  ] as const)("%s", async (_, request, dequeueCount, pooled, otherRequests, created) => {
    for (let index = 0; index < pooled; index++) await world.pool.put(`room-${index}`);
    for (let index = 0; index < otherRequests; index++) await world.provisioning.put(JSON.stringify(claimed));
    // The host calls the function before it deletes the message, so the queue still counts it.
    await world.provisioning.put(JSON.stringify(request));
    await provision({ request, dequeueCount });

    expect(world.platform.roomCount()).toBe(created);
    expect(world.log.events()).toEqual([created === 0 ? "provisioning-dropped" : "room-provisioned"]);
  });

  test.each([
    null,
    [{ reason: "claimed" }],
    { reason: "tuesday" },
    { reason: "bulk" },
    { reason: "bulk", upTo: "5" },
    { reason: "bulk", upTo: 1.5 },
    { reason: "bulk", upTo: -1 },
  ])("is logged and completed without any call if it is %j", async (content) => {
    await instance().provision(content, 1, world.log);

    expect(world.log.events()).toEqual(["provisioning-request-malformed"]);
    expect(world.pool.calls).toEqual([]);
    expect(world.platform.requests().total).toBe(0);
  });
});

describe("Provisioning if the create fails", () => {
  test.each([
    [400, "platform-rejected"],
    [409, "platform-rejected"],
    [403, "platform-login-refused"],
  ])("deletes the name, logs the failure and throws if the response is %i", async (status, code) => {
    world.platform.addFault({ kind: "status", status, method: "POST" });

    await expect(provision()).rejects.toMatchObject({ code });
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    expect(world.log.events()).toEqual(["provisioning-failed"]);
    expect(world.log.fieldsOf("provisioning-failed")).toMatchObject({ failure: code, status });
  });

  test("logs the names of the fields that the platform rejects, and no value", async () => {
    const body = { conference: { pin: ["482913"] }, conference_alias: { alias: ["482913"] } };
    world.platform.addFault({ kind: "status", status: 400, method: "POST", body });

    await expect(provision()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(world.log.fieldsOf("provisioning-failed")).toEqual({
      room: expect.any(String),
      message: "deleted",
      failure: "platform-rejected",
      status: 400,
      rejectedFields: "pin,alias",
    });
    const causes = world.log.lines.map(({ cause }) => (cause instanceof Error ? cause.stack : ""));
    expect(causes.join()).not.toContain("482913");
  });

  test("deletes the name without a look-up if no connection was established", async () => {
    await world.platform.goDown("refuse");

    await expect(provision()).rejects.toMatchObject({ outcome: "not-sent" });
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    await world.platform.goUp();
  });

  test("deletes the name and sends no create if it paused until the name was visible", async () => {
    world.pool.strikeNext("put", { meanwhile: () => world.clock.advance(600) });

    await expect(provision()).rejects.toMatchObject({ code: "platform-unavailable", outcome: "not-sent" });
    expect(world.platform.requests().total).toBe(0);
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
  });
});

describe("Provisioning if the outcome of the create is unknown", () => {
  const faults = [
    ["500", { kind: "status", status: 500 }],
    ["a reset", { kind: "reset" }],
    ["no response", { kind: "timeout" }],
  ] as const;

  test.each([...faults, ["an HTML page", { kind: "html500" }] as const])(
    "finds the room and keeps its name if the create had an effect but got %s",
    async (_, fault) => {
      world.platform.addFault({ ...fault, when: "after", method: "POST" });

      await provision();
      expect(world.pool.texts()).toEqual(world.roomNames());
      expect(world.pool.texts()).toHaveLength(1);
      expect(world.log.events()).toEqual(["room-adopted", "room-provisioned"]);
      expect(await world.pool.receive(1, 60)).toHaveLength(1);
    },
  );

  test.each(faults)("deletes the name if the look-up finds no room after %s", async (_, fault) => {
    world.platform.addFault({ ...fault, when: "before", method: "POST" });

    await expect(provision()).rejects.toMatchObject({ outcome: "unknown" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.platform.roomCount()).toBe(0);
    // The room may still appear.
    expect(world.deletionNames()).toHaveLength(1);
  });

  test.each<[string, QueueFault, number]>([
    ["queues", { failure: "message-gone" }, 1],
    ["does not queue", { failure: "message-gone", meanwhile: () => world.clock.advance(600) }, 0],
    ["does not queue", { failure: "receipt-stale" }, 0],
  ])("%s a name without a room for deletion if its own message gets %j", async (_, fault, queued) => {
    world.platform.addFault({ kind: "status", status: 500, method: "POST" });
    world.pool.strikeNext("delete", fault);

    await expect(provision()).rejects.toMatchObject({ outcome: "unknown" });
    expect(deletionReasons()).toEqual(Array(queued).fill("creation-unknown"));
  });

  const timedOut = () => new PlatformError({ outcome: "unknown", isTimeout: true, message: "POST" });

  test("ends its look-ups before the name is visible, so that no discarded name gets a room", async () => {
    const startBefores: number[] = [];
    const startedAt = world.clock.now();
    const conferences: Conferences = {
      ...world.conferences,
      create: async () => {
        world.clock.advance(560);
        throw timedOut();
      },
      findByName: async (_name, limits) => {
        startBefores.push(limits?.startBefore ?? Number.POSITIVE_INFINITY);
        return undefined;
      },
    };
    await expect(provision({ conferences })).rejects.toMatchObject({ outcome: "unknown" });
    const latestEnd = Math.max(...startBefores) + platformTimeoutSeconds * 1000;
    expect(latestEnd).toBeLessThanOrEqual(startedAt + 600_000);
    expect(world.clock.now()).toBeLessThan(startedAt + 600_000);
  });

  test("keeps the name if only the third look-up finds the room, and sends one create", async () => {
    world.platform.addFault({ kind: "status", status: 500, when: "after", method: "POST" });
    const attemptsOfTwoLookUps = 6;
    world.platform.addFault({ kind: "status", status: 503, method: "GET", count: attemptsOfTwoLookUps });

    await provision();
    expect(world.pool.texts()).toEqual(world.roomNames());
    expect(world.platform.requests().byRoute["POST /api/admin/configuration/v1/conference/"]).toBe(1);
  });

  test("looks for the room every two seconds, for at most six platform timeouts", async () => {
    world.platform.addFault({ kind: "status", status: 500, method: "POST" });
    const startedAt = world.clock.now();
    const conferences = { ...world.conferences, findByName: async () => undefined };

    await expect(provision({ conferences })).rejects.toMatchObject({ outcome: "unknown" });
    // The last one may take a whole timeout.
    expect(world.clock.sleeps).toEqual(Array(24).fill(2000));
    expect(world.clock.now() - startedAt).toBeLessThanOrEqual(6 * platformTimeoutSeconds * 1000);
  });

  test("keeps the name if the room exists after an unexpected error", async () => {
    const create: Conferences["create"] = async (...given) => {
      await world.conferences.create(...given);
      throw new TypeError("a programming error");
    };
    await provision({ conferences: { ...world.conferences, create } });

    expect(world.pool.texts()).toEqual(world.roomNames());
    expect(world.log.events()).toEqual(["room-adopted", "room-provisioned"]);
  });
});

describe("Provisioning if the pool fails", () => {
  test("throws and creates no room if the name cannot be stored", async () => {
    world.pool.strikeNext("put", { failure: "unknown" });

    await expect(provision()).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.platform.requests().total).toBe(0);
  });

  test("lets the name become visible within ten minutes if it cannot be made visible", async () => {
    world.pool.strikeNext("setInvisible", { failure: "unknown" });

    await provision();
    expect(world.deletionNames()).toEqual([]);
    expect(world.log.events()).toEqual(["room-not-made-visible"]);
    expect(await world.pool.receive(1, 60)).toEqual([]);
    world.clock.advance(600);
    expect(await world.pool.receive(1, 60)).toHaveLength(1);
  });

  test.each<QueueFault>([
    { failure: "receipt-stale" },
    { failure: "refused" },
    // A claim may have received the name, and handed out the room.
    { failure: "message-gone", meanwhile: () => world.clock.advance(600) },
  ])("queues nothing for deletion if the name cannot be made visible (%j)", async (fault) => {
    world.pool.strikeNext("setInvisible", fault);
    await provision();
    expect(world.deletionNames()).toEqual([]);
    expect(world.log.events()).toEqual(["room-not-made-visible"]);
  });

  test("queues the room for deletion if bulk delete cleared the pool in the meantime", async () => {
    world.pool.strikeNext("setInvisible", { meanwhile: async () => world.pool.clear() });

    await provision();
    expect(world.deletionNames()).toEqual(world.roomNames());
    expect(deletionReasons()).toEqual(["pool-cleared"]);
  });
});

describe("Provisioning if the platform stores the room without its alias", () => {
  /** Stores the room without its alias, then fails as `create` would. */
  const halfMade = (failure: PlatformFailure): Conferences => ({
    ...world.conferences,
    create: async ({ name, description }) => {
      world.addRoom(String(name), { description, aliases: [] });
      throw new PlatformError(failure);
    },
  });
  const unknown: PlatformFailure = { outcome: "unknown", message: "status 500", status: 500 };
  const refused: PlatformFailure = { outcome: "refused", message: "status 400", status: 400 };

  test.each([
    ["500", unknown],
    ["400", refused],
  ])("deletes the room and its name, and throws, if the response is %s", async (_, failure) => {
    await expect(provision({ conferences: halfMade(failure) })).rejects.toBeInstanceOf(PlatformError);

    expect(world.platform.roomCount()).toBe(0);
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    expect(world.log.events()).toEqual(["half-made-room-deleted", "provisioning-failed"]);
  });

  test("deletes the room before its name, which leads to the room until then", async () => {
    let pooledAtDelete: readonly string[] = [];
    const conferences: Conferences = {
      ...halfMade(refused),
      delete: async (...input) => {
        pooledAtDelete = world.pool.texts();
        return world.conferences.delete(...input);
      },
    };
    await expect(provision({ conferences })).rejects.toBeInstanceOf(PlatformError);
    expect(pooledAtDelete).toHaveLength(1);
  });

  test("deletes the room after a 400 although it has its alias, because other parts may be missing", async () => {
    const findByName: Conferences["findByName"] = async (name) => {
      const room = await world.conferences.findByName(name);
      return room && { ...room, aliases: [{ alias: name }] };
    };
    const conferences = { ...halfMade(refused), findByName };
    await expect(provision({ conferences })).rejects.toBeInstanceOf(PlatformError);
    expect([...world.roomNames(), ...world.pool.texts()]).toEqual([]);
  });

  test("queues the room for deletion if it cannot be deleted", async () => {
    const remove = async () => Promise.reject(new PlatformError(unknown));
    const conferences: Conferences = { ...halfMade(refused), delete: remove };
    await expect(provision({ conferences })).rejects.toBeInstanceOf(PlatformError);
    expect(world.deletionNames()).toEqual(world.roomNames());
    expect(deletionReasons()).toEqual(["half-made"]);
    expect(world.pool.texts()).toEqual([]);
    expect(world.log.events()).toEqual(["half-made-room-not-deleted", "provisioning-failed"]);
  });

  test("keeps the room if its alias appears while provisioning looks for it", async () => {
    let looks = 0;
    const conferences: Conferences = {
      ...halfMade(unknown),
      findByName: async (name) => {
        const room = await world.conferences.findByName(name);
        looks += 1;
        return room && looks === 3 ? { ...room, aliases: [{ alias: name }] } : room;
      },
    };
    await provision({ conferences });
    expect(world.roomNames()).toEqual(world.pool.texts());
    expect(looks).toBe(3);
  });
});

describe("Provisioning in an environment that is switched off (MAX_VMR is 0)", () => {
  test.each([{ reason: "claimed" }, { reason: "bulk", upTo: 0 }])("drops %j", async (request) => {
    await provision({ request, maxRooms: 0 });
    expect(world.platform.roomCount()).toBe(0);
    expect(world.log.events()).toEqual(["provisioning-dropped"]);
  });
});

describe("Times", () => {
  test("A new name is invisible for longer than a create and a look-up take, for all allowed settings", () => {
    const violations: object[] = [];
    for (let platformTimeoutSeconds = 1; platformTimeoutSeconds <= 60; platformTimeoutSeconds++) {
      for (let leaseSeconds = 1; leaseSeconds <= 3600; leaseSeconds++) {
        const times = provisioningTimes(platformTimeoutSeconds, leaseSeconds);
        if (times.createSeconds + times.lookUpSeconds >= times.invisibleSeconds)
          violations.push({ platformTimeoutSeconds, leaseSeconds, ...times });
      }
    }
    expect(violations).toEqual([]);
  });
});
