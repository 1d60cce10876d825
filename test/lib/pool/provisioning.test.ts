/** Provisioning of one room: the new room, requests that are dropped, and failures of the platform and the queues. */
import { describe, expect, test } from "vitest";
import { decodeRoomMessage, parseMarker } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import {
  createProvisioning,
  type ProvisioningOptions,
  provisioningTimes,
} from "../../../src/lib/pool/provisioning.ts";
import { secureRandom } from "../../../src/lib/ports.ts";
import type { QueueFault } from "../../../tools/simulators/memory/queue.ts";
import {
  type PlatformFaultClass,
  platformFaultClasses,
  platformFaults,
} from "../../support/platform-faults.ts";
import { hostPin, maxLevel, platformTimeoutSeconds, usePoolWorld } from "../../support/pool-world.ts";

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
    maxLevel,
    readyDelaySeconds: 0,
    platformTimeoutSeconds,
    ...options,
  });

async function provision({ request, dequeueCount, ...options }: Serving = {}): Promise<void> {
  const provisioning = instance(options);
  await provisioning.provision(request ?? { reason: "claimed" }, dequeueCount ?? 1, world.log);
}

const deletionReasons = () => world.deletion.texts().map((text) => decodeRoomMessage(text).reason);
const routes = () => world.platform.requests().byRoute;
const createRoute = "POST /api/admin/configuration/v1/conference/";

describe("Provisioning", () => {
  test("creates a room under the pooled name, with its PINs, a marker and what else the template may set", async () => {
    const ignored = { name: "x", pin: "1", guest_pin: "2", aliases: [], tag: "x", service_type: "lecture" };
    const template = { ...ignored, allow_guests: false, description: "x", host_view: "x" };
    await provision({ hostPin: "482913#", template });

    const [name = ""] = world.pool.texts();
    expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{23}$/);
    expect(world.room(name)).toMatchObject({
      aliases: [{ alias: name }],
      pin: "482913#",
      guest_pin: expect.stringMatching(/^\d{6}#$/),
      service_type: "conference",
      tag: "",
      allow_guests: true,
      host_view: "x",
    });
    expect(parseMarker(world.room(name)?.description)).toEqual({
      gateway: world.gatewayName,
      state: "pooled",
      since: new Date(world.clock.now()).toISOString(),
      messageId: undefined,
      fingerprint: roomFingerprint(template, "482913#"),
    });
    expect(await world.pool.receive(1, 60)).toMatchObject([{ text: name }]);
    expect(world.log.fieldsOf("room-provisioned")).toEqual({ room: name, reason: "claimed" });
  });

  test.each([
    [10, 390, { createSeconds: 30, lookUpSeconds: 60, invisibleSeconds: 600 }],
    [10, 391, { createSeconds: 30, lookUpSeconds: 60, invisibleSeconds: 601 }],
    [20, 900, { createSeconds: 60, lookUpSeconds: 120, invisibleSeconds: 1200 }],
  ])(
    "derives its times from a platform timeout of %i s and a ready delay of %i s",
    (timeout, delay, times) => {
      expect(provisioningTimes(timeout, delay)).toEqual(times);
    },
  );
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
    { given: "a replacement if the pool is full", request: claimed, pooled: 5, isServed: true },
    {
      given: "a retried replacement if the pool is full",
      request: claimed,
      dequeueCount: 2,
      pooled: 5,
      isServed: false,
    },
    {
      given: "a retried replacement if the pool is not full",
      request: claimed,
      dequeueCount: 2,
      pooled: 4,
      isServed: true,
    },
    {
      given: "a bulk request if the pool is below its level, whatever is requested",
      request: bulk(3),
      pooled: 2,
      isServed: true,
    },
    { given: "a bulk request if the pool is at its level", request: bulk(3), pooled: 3, isServed: false },
    { given: "a bulk request if the pool is above its level", request: bulk(3), pooled: 4, isServed: false },
    {
      given: "a retried bulk request above the maximum if the pool is full",
      request: bulk(100),
      dequeueCount: 2,
      pooled: 5,
      isServed: true,
    },
    {
      given: "a replacement in an environment that is switched off",
      request: claimed,
      pooled: 0,
      maxLevel: 0,
      isServed: false,
    },
  ])(
    "is served or dropped: $given",
    async ({ request, dequeueCount = 1, pooled, maxLevel = 5, isServed }) => {
      for (let index = 0; index < pooled; index++) await world.pool.put(`room-${index}`);
      // The host calls the function before it deletes the message, so the queue still counts it.
      for (const queued of [request, claimed, claimed]) await world.provisioning.put(JSON.stringify(queued));
      await provision({ request, dequeueCount, maxLevel });

      expect(world.platform.roomCount()).toBe(isServed ? 1 : 0);
      expect(world.log.events()).toEqual([isServed ? "room-provisioned" : "provisioning-dropped"]);
    },
  );

  test.each([
    ["null", null],
    ["without a known reason", { reason: "tuesday" }],
    ["without a level", { reason: "bulk" }],
    ["for half a room", bulk(1.5)],
    ["for a level below 0", bulk(-1)],
  ])("is logged and completed without any call if it is %s", async (_, content) => {
    await instance().provision(content, 1, world.log);

    expect(world.log.events()).toEqual(["provisioning-request-malformed"]);
    expect(world.pool.calls).toEqual([]);
    expect(world.platform.requests().total).toBe(0);
  });
});

describe("Provisioning whose create fails", () => {
  // For six platform timeouts, of which the last look-up may take one.
  const looksIfUnknown = 25;
  /** How often it looks for the room. Only an unknown outcome queues the room for deletion. */
  const looksAfter: Readonly<Record<PlatformFaultClass, number | undefined>> = {
    "platform-rejected": undefined,
    "platform-login-refused": undefined,
    "platform-unavailable": looksIfUnknown,
    "platform-timeout": looksIfUnknown,
    throttled: undefined,
    "not-from-platform": 1,
  };
  test.each(platformFaultClasses)(
    "deletes the name, and throws, after `%s`, and only then looks for the room if it may exist",
    async (fault) => {
      const looks = looksAfter[fault];
      world.platform.addFault({ ...platformFaults[fault], method: "POST" });
      await expect(provision()).rejects.toBeInstanceOf(PlatformError);
      expect(world.pool.texts()).toEqual([]);
      expect(deletionReasons()).toEqual(looks === looksIfUnknown ? ["creation-unknown"] : []);
      expect(routes()["GET /api/admin/configuration/v1/conference/"]).toBe(looks);
      const pauses = world.clock.sleeps.filter((pause) => pause === 2000);
      expect(pauses).toHaveLength(looks === looksIfUnknown ? looksIfUnknown - 1 : 0);
      const fields = { room: expect.any(String), message: "deleted" };
      const cause = expect.any(PlatformError);
      expect(world.log.lines).toMatchObject([{ event: "provisioning-failed", fields, cause }]);
    },
  );

  test("deletes the name without a call if it is visible by then", async () => {
    world.pool.strikeNext("put", { meanwhile: () => world.clock.advance(600) });
    await expect(provision()).rejects.toMatchObject({ code: "gateway-busy" });
    expect([...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
    expect(routes()).toEqual({});
  });

  test.each([
    { what: "400", status: 400, body: { error: "no" } },
    { what: "404", status: 404, body: { error_message: "no" } },
    { what: "an empty 404", status: 404, body: "" },
    { what: "a redirect", status: 302, body: "" },
  ])(
    "looks once for a room that was stored anyway, and deletes it, after $what",
    async ({ status, body }) => {
      world.platform.addFault({ status, body, method: "POST", when: "after", count: 1 });
      // What is retried finds the name taken, which is a refusal of its own.
      await expect(provision()).rejects.toBeInstanceOf(PlatformError);
      expect([...world.roomNames(), ...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
      expect(routes()["GET /api/admin/configuration/v1/conference/"]).toBe(1);
      expect(world.log.events()).toEqual(["half-made-room-deleted", "provisioning-failed"]);
    },
  );
});

describe("One instance that serves two requests every 30 s", () => {
  const rejection = { status: 400, body: { conference: { __all__: ["no licence"] } } };

  test.each([
    { what: "rejects the fields of each room", fault: rejection, creates: 38 },
    { what: "does not find what rooms refer to", fault: { status: 404, body: "" }, creates: 38 },
    { what: "fails otherwise", fault: { status: 409, body: { error: "no" } }, creates: 240 },
  ])(
    "sends $creates creates per hour while the platform $what, and then each",
    async ({ fault, creates }) => {
      const { provision: serve } = instance();
      const serveAll = async (count: number) => {
        for (let served = 0; served < count; served++) {
          const serveOne = async () => serve({ reason: "claimed" }, 1, world.log);
          await Promise.allSettled([serveOne(), serveOne()]);
          world.clock.advance(30);
        }
        return routes()[createRoute];
      };
      world.platform.addFault({ ...fault, method: "POST" });
      expect(await serveAll(120)).toBe(creates);
      world.platform.clearFaults();
      // A clock that is set back ends the pause.
      world.clock.advance(-600);
      expect(await serveAll(1)).toBe(creates + 2);
      world.platform.addFault({ ...rejection, method: "POST", count: 2 });
      expect(await serveAll(3)).toBe(creates + 8);
    },
  );
});

describe("Provisioning whose name cannot be made visible", () => {
  const visibleBefore = { meanwhile: () => world.clock.advance(600) };

  test.each<[string, QueueFault, string[]]>([
    // Only bulk delete removes the name while it is invisible.
    ["message-gone", { failure: "message-gone" }, ["pool-cleared"]],
    ["message-gone, which a claim may have caused", { failure: "message-gone", ...visibleBefore }, []],
    ["receipt-stale", { failure: "receipt-stale" }, []],
    ["unknown", { failure: "unknown" }, []],
  ])("gives the room up if nobody can have it, after the failure %s", async (_, fault, reasons) => {
    world.pool.strikeNext("setInvisible", fault);
    await provision();
    expect(world.deletionNames()).toEqual(reasons.length > 0 ? world.roomNames() : []);
    expect(deletionReasons()).toEqual(reasons);
    expect(world.log.lines).toMatchObject([
      { event: "room-not-made-visible", fields: { room: world.roomNames()[0] } },
    ]);
  });
});

describe("Provisioning whose create has an unknown outcome", () => {
  const timedOut = new PlatformError({ outcome: "unknown", code: "platform-timeout", message: "POST" });

  test.each([timedOut, new TypeError("a programming error")])(
    "keeps the name if only the third look-up finds the room, and sends one create (%s)",
    async (error) => {
      const create: Conferences["create"] = async (...given) => {
        await world.conferences.create(...given);
        throw error;
      };
      const attemptsOfTwoLookUps = 6;
      world.platform.addFault({ kind: "status", status: 503, method: "GET", count: attemptsOfTwoLookUps });

      await provision({ conferences: { ...world.conferences, create } });
      expect(await world.pool.receive(2, 60)).toMatchObject(world.roomNames().map((text) => ({ text })));
      expect(routes()[createRoute]).toBe(1);
      expect(world.log.events()).toEqual(["room-adopted", "room-provisioned"]);
    },
  );
});

describe("Provisioning whose room is stored without its alias", () => {
  const unknown: PlatformFailure = { outcome: "unknown", message: "status 500", status: 500 };
  const refused: PlatformFailure = { outcome: "refused", message: "status 400", status: 400 };

  /**
   * Stores the room without its alias, then fails as `create` would. The first look-up and the one with the alias
   * succeed.
   */
  const halfMade = (failure: PlatformFailure, aliasAppearsAt?: number): Conferences => {
    let looks = 0;
    return {
      ...world.conferences,
      create: async ({ name, description }) => {
        world.addRoom(String(name), { description, aliases: [] });
        throw new PlatformError(failure);
      },
      findByName: async (name) => {
        const room = await world.conferences.findByName(name);
        looks += 1;
        if (looks === aliasAppearsAt) return room && { ...room, aliases: [{ alias: name }] };
        if (looks > 1) throw new PlatformError(unknown);
        return room;
      },
    };
  };

  test.each([
    ["500", unknown, undefined],
    ["400", refused, undefined],
    // Other parts may be missing.
    ["400 although it has its alias", refused, 1],
  ])(
    "deletes the room before its name, which leads to it, and throws after %s",
    async (_, failure, alias) => {
      let pooledAtDelete: readonly string[] = [];
      const conferences: Conferences = {
        ...halfMade(failure, alias),
        delete: async (...input) => {
          pooledAtDelete = world.pool.texts();
          return world.conferences.delete(...input);
        },
      };
      await expect(provision({ conferences })).rejects.toBeInstanceOf(PlatformError);
      expect(pooledAtDelete).toHaveLength(1);
      expect([...world.roomNames(), ...world.pool.texts(), ...world.deletionNames()]).toEqual([]);
      expect(world.log.events()).toEqual(["half-made-room-deleted", "provisioning-failed"]);
    },
  );

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
    await provision({ conferences: halfMade(unknown, 3) });
    expect(world.roomNames()).toEqual(world.pool.texts());
    expect(world.clock.sleeps).toHaveLength(2);
  });
});
