/** Claims whose calls to the platform fail or end too late. */

import { beforeEach, describe, expect, test } from "vitest";
import type { GatewayError } from "../../../src/lib/errors.ts";
import { encodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import type { Claims } from "../../../src/lib/pool/claim.ts";
import { leaseSeconds, maxRooms, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();
beforeEach(async () => world.addPooled("room-a"));

const isVisible = () => world.pool.contents().every(({ visibleAt }) => visibleAt <= world.clock.now());
const leftBehind = () => [...world.deletionNames(), ...world.requests()];
const topUp = { reason: "bulk", upTo: maxRooms };

/** Returns conferences that run `next` between the look-up and the change of a room. */
const afterFind = (next: () => unknown, conferences: Conferences = world.conferences): Conferences => ({
  ...conferences,
  findByName: async (...given) => {
    const room = await world.conferences.findByName(...given);
    await next();
    return room;
  },
});

describe("A claim whose look-up fails", () => {
  test.each([
    { kind: "status", status: 503 },
    { kind: "status", status: 429, retryAfterSeconds: 30 },
    { kind: "timeout" },
  ] as const)("fails with 503 and releases the room after %j", async (fault) => {
    world.platform.addFault({ ...fault, method: "GET" });

    await expect(world.claim()).rejects.toMatchObject({ status: 503 });
    expect(isVisible()).toBe(true);
    expect(world.pool.texts()).toEqual(["room-a"]);
    world.platform.clearFaults();
    // A throttling platform is left alone for up to 15 s.
    world.clock.advance(15);
    expect(await world.claim()).toMatchObject({ name: "room-a" });
  });
});

describe("A claim whose change the platform rejects", () => {
  const rejectChange = (failure: PlatformFailure) => ({
    ...world.conferences,
    update: async () => {
      throw new PlatformError(failure);
    },
  });
  const rejected = (body: unknown): PlatformFailure => ({
    outcome: "refused",
    message: "PATCH: status 400",
    status: 400,
    body,
  });

  test("leaves the room to its lease and discards it at the fifth refusal of the room", async () => {
    const conferences = rejectChange(rejected({ conference: { description: ["not allowed"] } }));
    for (let refusals = 1; refusals <= 4; refusals++) {
      await expect(world.claim({ conferences })).rejects.toMatchObject({ code: "platform-rejected" });
      expect(world.pool.texts()).toEqual([encodeRoomMessage({ room: "room-a", refusals })]);
      expect(isVisible()).toBe(false);
      expect(leftBehind()).toEqual([]);
      world.clock.advance(leaseSeconds);
    }
    await expect(world.claim({ conferences })).rejects.toMatchObject({ code: "platform-rejected" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.deletionNames()).toEqual(["room-a"]);
    expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "room-a", reason: "refused-often" });
  });
});

describe("A claim of a room that cannot be dialled by its name", () => {
  test.each([
    ["discards a room of the gateway", {}, ["half-made"]],
    ["removes the name of a room without a marker, and leaves the room alone", { description: "theirs" }, []],
  ])("%s", async (_, fields, deleted) => {
    await world.pool.clear();
    await world.addPooled("half-made", { aliases: [], ...fields });
    await world.addPooled("room-b");

    expect(await world.claim()).toMatchObject({ name: "room-b" });
    expect(world.deletionNames()).toEqual(deleted);
    expect(world.pool.texts()).toEqual([]);
  });
});

describe("A claim whose change fails", () => {
  test.each([
    ["a reset before the change", { kind: "reset" }],
    ["a timeout", { kind: "timeout" }],
    ["a 500 after the change", { kind: "status", status: 500, when: "after" }],
  ] as const)("fails with 503 and discards the room after %s, without trying another", async (_, fault) => {
    await world.addPooled("room-b");
    world.platform.addFault({ ...fault, method: "PATCH" });

    await expect(world.claim()).rejects.toMatchObject({ status: 503 });
    expect(world.pool.texts()).toEqual(["room-b"]);
    expect(leftBehind()).toEqual(["room-a", topUp]);
  });
});

describe("A claim with limited time", () => {
  test.each([
    ["with a long lease", 300, 10, [10, 12.5, 25]],
    ["with a long lease and a longer platform timeout", 300, 30, [30, 12.5, 25]],
    ["with a short lease, of which it uses a quarter", 20, 10, [5, 2.5, 5]],
  ])("limits look-up and change, and starts only the change late in its time, %s", async (...given) => {
    const [, leaseSeconds, platformTimeoutSeconds, [timeoutSeconds, findBefore, changeBefore]] = given;
    const startedAt = world.clock.now();
    const seen: unknown[] = [];
    const note = (limits: Parameters<Conferences["findByName"]>[1]) =>
      seen.push([limits?.timeoutSeconds, (Number(limits?.startBefore) - startedAt) / 1000]);
    const conferences: Pick<Conferences, "findByName" | "update"> = {
      findByName: async (name, limits) => {
        note(limits);
        return world.conferences.findByName(name, limits);
      },
      update: async (id, fields, limits) => {
        note(limits);
        return world.conferences.update(id, fields, limits);
      },
    };
    await world.claim({ conferences, leaseSeconds, platformTimeoutSeconds });
    expect(seen).toEqual([
      [timeoutSeconds, findBefore],
      [timeoutSeconds, changeBefore],
    ]);
  });

  test("releases a message that it receives in the second half of its time, without a call to the platform", async () => {
    world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(12.5) });

    await expect(world.claim()).rejects.toMatchObject({ code: "claim-failed", status: 503 });
    expect(world.platform.requests().total).toBe(0);
    expect(await world.pool.receive(1, 60)).toMatchObject([{ text: "room-a" }]);
  });

  test("receives no further message after half of the time", async () => {
    await world.pool.clear();
    await world.pool.put("gone");
    await world.addPooled("room-b");
    world.pool.strikeNext("delete", { meanwhile: () => world.clock.advance(12.5) });

    const failed = { code: "claim-failed", details: { retryAfterSeconds: 5 } };
    await expect(world.claim()).rejects.toMatchObject(failed);
    expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(1);
  });
});

describe("Changes whose outcomes stay unknown", () => {
  // Unlike 503, it causes no pause of the limiter.
  const unknown = { kind: "status", status: 500, method: "PATCH" } as const;
  const patches = () =>
    world.platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"] ?? 0;
  const fail = async (claims: Claims) =>
    claims.claim(undefined, world.log).then(
      () => "claimed",
      (error: GatewayError) => error.details.retryAfterSeconds,
    );

  /** Returns conferences that run `check` before each change, which fails with what it throws. */
  const checkingChanges = (check: (id: number) => void): Conferences => ({
    ...world.conferences,
    update: async (id, ...others) => {
      check(id);
      return world.conferences.update(id, ...others);
    },
  });

  /** Sends three claims whose changes get 500, beside enough other rooms. */
  async function open(options: Parameters<typeof world.createClaims>[0] = {}): Promise<Claims> {
    for (let index = 0; index < 40; index++) await world.addPooled(`room-${index}`);
    const claims = world.createClaims(options);
    world.platform.addFault({ ...unknown, count: 3 });
    for (let claim = 1; claim <= 3; claim++) await fail(claims);
    return claims;
  }

  test("stop after three in a row, and claims then fail with 503 except for one trial after each pause", async () => {
    const claims = await open();
    world.platform.addFault(unknown);
    const pooled = world.pool.texts().length;
    for (let trial = 1; trial <= 12; trial++) {
      world.clock.advance(9);
      expect(await fail(claims)).toBe(1);
      expect(patches()).toBe(2 + trial);
      world.clock.advance(1);
      const failures = await Promise.all(Array.from({ length: 4 }, async () => fail(claims)));
      // The first one is the trial.
      expect(failures).toEqual([10, 1, 1, 1]);
      expect(patches()).toBe(3 + trial);
    }
    // No trial takes a room.
    expect(world.pool.texts()).toHaveLength(pooled);
    expect(world.deletionNames()).toHaveLength(3);
    expect(world.log.events().filter((event) => event === "assignments-paused")).toHaveLength(13);
    expect(world.log.fieldsOf("assignments-paused")).toEqual({ seconds: 10 });
  });

  test("are refused before a message is received while they are paused", async () => {
    const claims = await open();
    const { length } = world.pool.calls;
    expect(await fail(claims)).toBe(10);
    expect(world.pool.calls).toHaveLength(length);
  });

  test("count only if no change between them had a known outcome", async () => {
    for (let index = 0; index < 9; index++) await world.addPooled(`room-${index}`);
    const claims = world.createClaims();
    for (let round = 1; round <= 3; round++) {
      for (let claim = 1; claim <= 2; claim++) {
        world.platform.addFault({ ...unknown, count: 1 });
        await fail(claims);
      }
      expect(await fail(claims)).toBe("claimed");
    }
  });

  test("are not counted together with changes that the platform refuses", async () => {
    const refusal = new PlatformError({ outcome: "refused", message: "PATCH: status 403", status: 403 });
    let isRefused = true;
    const conferences = checkingChanges(() => {
      if (isRefused) throw refusal;
    });
    const claims = world.createClaims({ conferences });
    for (let claim = 1; claim <= 3; claim++) expect(await fail(claims)).not.toBe("claimed");
    isRefused = false;
    expect(await fail(claims)).toBe("claimed");
  });

  test("release the messages that other claims hold when the pause begins", async () => {
    for (let index = 0; index < 6; index++) await world.addPooled(`room-${index}`);
    world.platform.addFault(unknown);
    let failures = 0;
    const others = Promise.withResolvers<void>();
    const conferences = afterFind(async () => {
      if ((failures += 1) > 3) await others.promise;
    });
    const claims = world.createClaims({ conferences });
    const held = Array.from({ length: 4 }, async () => fail(claims));
    await Promise.all(held.slice(0, 3));
    others.resolve();
    expect(await held[3]).toBe(10);
    expect(patches()).toBe(3);
    expect(world.deletionNames()).toHaveLength(3);
    expect(await world.pool.receive(32, 1)).toHaveLength(world.pool.texts().length);
  });

  test("end with a trial that works and changes nothing but the name that the room has", async () => {
    const bodies: unknown[] = [];
    const conferences = {
      ...world.conferences,
      update: async (...input: Parameters<Conferences["update"]>) => {
        bodies.push(input[1]);
        return world.conferences.update(...input);
      },
    };
    const claims = await open({ conferences });
    world.clock.advance(10);
    const trialled = world.pool.contents().find(({ visibleAt }) => visibleAt <= world.clock.now())?.text;
    expect(await fail(claims)).toBe("claimed");
    expect(bodies.slice(3)).toEqual([{ name: trialled }, expect.any(Function)]);
    for (let claim = 1; claim <= 4; claim++) expect(await fail(claims)).toBe("claimed");
    expect(world.deletionNames()).toHaveLength(3);
    expect(bodies).toHaveLength(9);
  });

  test("pause for a minute if only the trial works, whose claim decides alone", async () => {
    const claims = await open({
      conferences: {
        ...world.conferences,
        update: async (id, fields, limits) => {
          if (typeof fields !== "function") return world.conferences.update(id, fields, limits);
          await Promise.resolve();
          throw new PlatformError({ outcome: "unknown", message: "PATCH: status 500", status: 500 });
        },
      },
    });
    world.platform.clearFaults();
    for (const seconds of [10, 60, 60]) {
      world.clock.advance(seconds - 1);
      expect(await fail(claims)).toBe(1);
      world.clock.advance(1);
      const failures = await Promise.all(Array.from({ length: 4 }, async () => fail(claims)));
      expect(failures).toEqual([5, 1, 1, 1]);
    }
    expect(world.deletionNames()).toHaveLength(6);
  });

  test.each<[string, Partial<PlatformFailure>, boolean]>([
    ["a refused login", { outcome: "refused", status: 401, isLoginRefused: true }, false],
    ["429", { outcome: "refused", status: 429 }, false],
    ["a timeout", { outcome: "unknown", isTimeout: true }, false],
    ["a 400 of a proxy", { outcome: "refused", status: 400, body: "<html>" }, false],
    ["a rejected field", { outcome: "refused", status: 400, body: { conference: { name: ["no"] } } }, true],
  ])("do not end with a trial that has another result than success: %s", async (_, failure, isEnd) => {
    let result: PlatformError | undefined;
    const conferences = checkingChanges(() => {
      if (result) throw result;
    });
    const claims = await open({ conferences });
    world.clock.advance(10);
    result = new PlatformError({ outcome: "unknown", message: "failed", ...failure });
    await fail(claims);
    result = undefined;
    expect(await fail(claims)).toBe(isEnd ? "claimed" : 10);
  });

  test("do not end with a trial whose room has gone, which says nothing about changes", async () => {
    const claims = await open();
    world.clock.advance(10);
    world.platform.addFault({ kind: "status", status: 404, method: "PATCH", count: 1 });
    expect(await fail(claims)).toBe("claimed");
    // The trial without a room, the trial of the next room, and its change.
    expect(patches()).toBe(6);
  });

  test("do not block claims if a trial was never sent", async () => {
    const claims = await open();
    await world.platform.goDown("refuse");
    world.clock.advance(10);
    for (let trial = 1; trial <= 8; trial++) expect(await fail(claims)).toBe(5);
    await world.platform.goUp();
    expect(await fail(claims)).toBe("claimed");
  });

  test("are not paused any longer if the clock is set back by an hour", async () => {
    const claims = await open();
    world.clock.advance(-3600);
    // Storage has a clock of its own.
    await world.addPooled("room-new");
    expect(await fail(claims)).toBe("claimed");
  });
});
