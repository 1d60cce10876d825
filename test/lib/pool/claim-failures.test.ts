/** Claims whose calls to the platform fail or end too late. */

import { beforeEach, describe, expect, test } from "vitest";
import type { GatewayError } from "../../../src/lib/errors.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import type { Claims } from "../../../src/lib/pool/claim.ts";
import { encodeRoomMessage } from "../../../src/lib/pool/room.ts";
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

  test("leaves the room to its lease if the release fails", async () => {
    world.platform.addFault({ kind: "status", status: 503, method: "GET" });
    world.pool.strikeNext("setInvisible", { failure: "unknown" });

    await expect(world.claim()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(isVisible()).toBe(false);
    expect(world.log.events()).toContain("release-failed");
    world.clock.advance(leaseSeconds);
    expect(isVisible()).toBe(true);
  });

  test.each([
    [401, "platform-login-refused"],
    [404, "platform-rejected"],
  ] as const)("releases the room after a %i, however often", async (status, code) => {
    world.platform.addFault({ kind: "status", status, method: "GET" });
    for (let receive = 1; receive <= 6; receive++) {
      await expect(world.claim()).rejects.toMatchObject({ code });
      expect(isVisible()).toBe(true);
      expect(world.pool.texts()).toEqual(["room-a"]);
    }
    world.platform.clearFaults();
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
  const failWithUnknownOutcome = () =>
    world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });

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

  test("leaves the room to its lease if the outcome is unknown and the message cannot be deleted", async () => {
    failWithUnknownOutcome();
    world.pool.strikeNext("delete", { failure: "unknown" });
    world.pool.strikeNext("delete", { failure: "unknown" });

    await expect(world.claim()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(world.pool.texts()).toEqual(["room-a"]);
    expect(isVisible()).toBe(false);
    expect(leftBehind()).toEqual([]);
  });

  test("fails with 503 and releases the room if no connection was established", async () => {
    const conferences = afterFind(async () => world.platform.goDown("refuse"));

    await expect(world.claim({ conferences })).rejects.toMatchObject({
      code: "platform-unavailable",
      outcome: "not-sent",
    });
    expect(isVisible()).toBe(true);
    expect(world.deletionNames()).toEqual([]);
    await world.platform.goUp();
  });
});

describe("A claim with limited time", () => {
  test.each([
    ["the platform timeout if the lease is long", 300, 10, 10],
    ["a longer platform timeout if the lease is long", 300, 30, 30],
    ["a quarter of the lease if the lease is short", 20, 10, 5],
  ])("sends both calls with a timeout of %s", async (_, leaseSeconds, platformTimeoutSeconds, expected) => {
    const timeouts: unknown[] = [];
    const conferences: Pick<Conferences, "findByName" | "update"> = {
      findByName: async (name, limits) => {
        timeouts.push(limits?.timeoutSeconds);
        return world.conferences.findByName(name, limits);
      },
      update: async (id, fields, limits) => {
        timeouts.push(limits?.timeoutSeconds);
        return world.conferences.update(id, fields, limits);
      },
    };

    await world.claim({ conferences, leaseSeconds, platformTimeoutSeconds });
    expect(timeouts).toEqual([expected, expected]);
  });

  test.each([
    ["25 s with a long lease", leaseSeconds, 25],
    ["a quarter of a short lease", 40, 10],
  ])("sends no change after %s and releases the room unchanged", async (_, leaseSeconds, deadlineSeconds) => {
    const conferences = afterFind(() => world.clock.advance(deadlineSeconds));

    await expect(world.claim({ conferences, leaseSeconds })).rejects.toMatchObject({
      code: "platform-timeout",
    });
    expect(world.room("room-a")).toMatchObject({
      tag: "",
      description: expect.stringContaining(" pooled "),
    });
    expect(isVisible()).toBe(true);
  });

  test("releases a message received after the deadline without a call to the platform", async () => {
    world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(25) });

    await expect(world.claim()).rejects.toMatchObject({ code: "platform-timeout" });
    expect(world.platform.requests().total).toBe(0);
    expect(await world.pool.receive(1, 60)).toMatchObject([{ text: "room-a" }]);
  });

  test("receives no further message after the deadline", async () => {
    await world.pool.clear();
    await world.pool.put("gone");
    await world.addPooled("room-b");
    world.pool.strikeNext("delete", { meanwhile: () => world.clock.advance(25) });

    await expect(world.claim()).rejects.toMatchObject({ code: "claim-failed" });
    expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(1);
  });
});

describe("Changes whose outcomes stay unknown", () => {
  const unknown = { kind: "status", status: 503, method: "PATCH" } as const;
  const patches = () =>
    world.platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"] ?? 0;
  const fail = async (claims: Claims) =>
    claims.claim(undefined, world.log).then(
      () => "claimed",
      (error: GatewayError) => error.details.retryAfterSeconds,
    );

  test("stop after three in a row: claims fail with 503 without taking a message, and one tries after each pause", async () => {
    for (let index = 0; index < 20; index++) await world.addPooled(`room-${index}`);
    world.platform.addFault(unknown);
    const claims = world.createClaims();
    for (let claim = 1; claim <= 3; claim++) await fail(claims);
    expect(patches()).toBe(3);
    const pooled = world.pool.texts().length;

    // Each pause is twice as long as the one before, up to five minutes.
    const pauses = [10, 20, 40, 80, 160, 300, 300];
    for (const [index, seconds] of pauses.entries()) {
      expect(await fail(claims)).toBe(seconds);
      world.clock.advance(seconds - 1);
      expect(await fail(claims)).toBe(1);
      expect(patches()).toBe(3 + index);
      world.clock.advance(1);
      await Promise.all(Array.from({ length: 4 }, async () => fail(claims)));
      expect(patches()).toBe(4 + index);
    }
    expect(world.pool.texts()).toHaveLength(pooled - pauses.length);
    expect(world.deletionNames()).toHaveLength(3 + pauses.length);
    expect(world.log.events().filter((event) => event === "assignments-paused")).toHaveLength(
      1 + pauses.length,
    );
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

  test("end with a change whose outcome is known", async () => {
    for (let index = 0; index < 8; index++) await world.addPooled(`room-${index}`);
    world.platform.addFault({ ...unknown, count: 3 });
    const claims = world.createClaims();
    for (let claim = 1; claim <= 3; claim++) await fail(claims);
    world.clock.advance(10);
    for (let claim = 1; claim <= 4; claim++) expect(await fail(claims)).toBe("claimed");
  });
});
