/** Claims whose platform fails: where it fails decides whether the room goes back, is discarded or waits. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import {
  maxClaimsAtOnce,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
} from "../../support/pool-world.ts";

const tag = "https://verification.example.com/session/1";
const leaseSeconds = 300;

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
  await world.addPooled("room-a");
});
afterEach(async () => world.stop());

const claim = async (conferences: Pick<Conferences, "findByName" | "update"> = world.conferences) =>
  createClaims({ ...world, conferences, leaseSeconds, platformTimeoutSeconds, maxClaimsAtOnce }).claim(
    tag,
    world.log,
  );
const isVisible = () => world.pool.contents().every(({ visibleAt }) => visibleAt <= world.clock.now());
const requests = () => world.provisioning.texts().map((text) => JSON.parse(text).reason);

describe("while the room is looked up", () => {
  test.each([
    { kind: "status", status: 503 },
    { kind: "status", status: 429, retryAfterSeconds: 30 },
    { kind: "html500" },
    { kind: "reset" },
    { kind: "timeout" },
  ] as const)("%j: 503, and the room is back in the pool at once", async (fault) => {
    world.platform.addFault({ ...fault, method: "GET" });

    await expect(claim()).rejects.toMatchObject({ status: 503 });
    expect(isVisible()).toBe(true);
    expect(world.pool.texts()).toEqual(["room-a"]);
    world.platform.clearFaults();
    expect(await claim()).toMatchObject({ name: "room-a" });
  });

  test("an unreachable platform is 503, and nothing but the lease is touched", async () => {
    await world.platform.goDown("refuse");

    await expect(claim(world.newConferences())).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(isVisible()).toBe(true);
    expect([...world.deletion.texts(), ...world.provisioning.texts()]).toEqual([]);
    await world.platform.goUp();
  });

  test("a room that cannot be given back comes back when its lease ends", async () => {
    world.platform.addFault({ kind: "status", status: 503, method: "GET" });
    world.pool.strikeNext("setInvisible", { failure: "unknown" });

    await expect(claim()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(isVisible()).toBe(false);
    expect(world.log.events()).toContain("release-failed");
    world.clock.advance(leaseSeconds);
    expect(isVisible()).toBe(true);
  });
});

describe("while the room is looked up and refused", () => {
  test("a name that the platform refuses waits out its lease, and is given up after five receives", async () => {
    world.platform.addFault({ kind: "status", status: 400, method: "GET" });

    for (let receives = 1; receives <= 5; receives++) {
      await expect(claim()).rejects.toMatchObject({ code: "platform-rejected" });
      expect(isVisible()).toBe(false);
      world.clock.advance(leaseSeconds);
    }
    await expect(claim()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.deletion.texts()).toEqual(["room-a"]);
    expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "room-a", reason: "refused-often" });
  });

  test.each([401, 403])(
    "a log-in that is refused (%i) gives the room back, however often",
    async (status) => {
      world.platform.addFault({ kind: "status", status, method: "GET" });

      for (let receives = 1; receives <= 8; receives++) {
        await expect(claim()).rejects.toMatchObject({ code: "platform-rejected" });
        expect(isVisible()).toBe(true);
      }
      expect(world.pool.texts()).toEqual(["room-a"]);
    },
  );
});

describe("while the room is assigned", () => {
  test.each([
    ["a reset before the change", { kind: "reset" }],
    ["a reset after the change", { kind: "reset", when: "after" }],
    ["no answer", { kind: "timeout" }],
    ["no answer, the change made later", { kind: "timeout", when: "after", commitAfterMilliseconds: 20 }],
    ["500 before the change", { kind: "status", status: 500 }],
    ["500 after the change", { kind: "status", status: 500, when: "after" }],
  ] as const)("%s: the room is discarded, 503, and no other room is taken", async (_, fault) => {
    await world.addPooled("room-b");
    world.platform.addFault({ ...fault, method: "PATCH" });

    await expect(claim()).rejects.toMatchObject({ status: 503 });
    expect(world.pool.texts()).toEqual(["room-b"]);
    expect(world.deletion.texts()).toEqual(["room-a"]);
    expect(requests()).toEqual(["healing"]);
    expect(world.platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"]).toBe(1);
  });

  test("with an unknown outcome, a room whose message cannot be deleted is left to its lease alone", async () => {
    world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });
    world.pool.strikeNext("delete", { failure: "unknown" });
    world.pool.strikeNext("delete", { failure: "unknown" });

    await expect(claim()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(world.pool.texts()).toEqual(["room-a"]);
    expect(isVisible()).toBe(false);
    expect([...world.deletion.texts(), ...world.provisioning.texts()]).toEqual([]);
  });

  test("with an unknown outcome and a failing deletion queue, the leak is logged and the pool heals", async () => {
    world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });
    world.deletion.strikeNext("put", { failure: "unknown" });

    await expect(claim()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(world.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
    expect(world.pool.texts()).toEqual([]);
    expect(requests()).toEqual(["healing"]);
  });

  test("a connection that never came about puts the room back at once: 503", async () => {
    const unconnected = world.newConferences();
    const findByName: Conferences["findByName"] = async (...given) => {
      const room = await world.conferences.findByName(...given);
      await world.platform.goDown("refuse");
      return room;
    };

    await expect(claim({ ...unconnected, findByName })).rejects.toMatchObject({
      code: "platform-unavailable",
      outcome: "not-sent",
    });
    expect(isVisible()).toBe(true);
    expect(world.deletion.texts()).toEqual([]);
    await world.platform.goUp();
  });

  test("a throttled change puts the room back at once: 503 with the platform's Retry-After", async () => {
    world.platform.addFault({ kind: "status", status: 429, retryAfterSeconds: 17, method: "PATCH" });

    await expect(claim()).rejects.toMatchObject({ status: 503, details: { retryAfterSeconds: 17 } });
    expect(isVisible()).toBe(true);
  });

  test("a refused change is 502, and the room waits out its lease", async () => {
    world.platform.addFault({ kind: "status", status: 400, method: "PATCH" });

    await expect(claim()).rejects.toMatchObject({ code: "platform-rejected", status: 502 });
    expect(isVisible()).toBe(false);
    expect([...world.deletion.texts(), ...world.provisioning.texts()]).toEqual([]);
    world.clock.advance(leaseSeconds);
    expect(isVisible()).toBe(true);
  });

  test.each([401, 403])("a log-in that is refused (%i) costs no room, however often", async (status) => {
    world.platform.addFault({ kind: "status", status, method: "PATCH" });

    for (let receives = 1; receives <= 8; receives++) {
      await expect(claim()).rejects.toMatchObject({ code: "platform-rejected" });
      world.clock.advance(leaseSeconds);
    }
    expect(world.pool.texts()).toEqual(["room-a"]);
    expect(world.deletion.texts()).toEqual([]);
  });

  test("a room whose change is refused for the sixth time is discarded", async () => {
    world.platform.addFault({ kind: "status", status: 400, method: "PATCH" });
    for (let received = 1; received <= 5; received++) {
      await expect(claim()).rejects.toMatchObject({ status: 502 });
      expect(world.pool.texts()).toEqual(["room-a"]);
      world.clock.advance(leaseSeconds);
    }

    await expect(claim()).rejects.toMatchObject({ status: 502 });
    expect(world.pool.texts()).toEqual([]);
    expect(world.deletion.texts()).toEqual(["room-a"]);
  });

  test.each([
    ["the usual lease", leaseSeconds, 25],
    ["a short lease", 40, 10],
  ])("with %s, no change is sent after the claim's deadline", async (_, lease, deadlineSeconds) => {
    const findByName: Conferences["findByName"] = async (...given) => {
      const room = await world.conferences.findByName(...given);
      world.clock.advance(deadlineSeconds);
      return room;
    };
    const conferences = { ...world.conferences, findByName };
    const claims = createClaims({
      ...world,
      conferences,
      leaseSeconds: lease,
      platformTimeoutSeconds,
      maxClaimsAtOnce,
    });

    await expect(claims.claim(tag, world.log)).rejects.toMatchObject({ code: "platform-timeout" });
    expect(world.room("room-a")).toMatchObject({ tag: "", description: expect.stringContaining(" pooled ") });
    expect(isVisible()).toBe(true);
  });
});

describe("when the room found must not be used", () => {
  test.each([
    ["is not on the platform", undefined],
    ["vanishes before it is changed", { kind: "status", status: 404, method: "PATCH", count: 1 }],
  ] as const)("a name whose room %s is dropped, and the next room is handed out", async (_, fault) => {
    world = await restart();
    if (fault) world.addRoom("gone");
    await world.pool.put("gone");
    await world.addPooled("room-b");
    if (fault) world.platform.addFault(fault);

    expect(await claim()).toMatchObject({ name: "room-b" });
    expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "gone", reason: "room-missing" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.deletion.texts()).toEqual([]);
    expect(requests()).toEqual(["healing", "claimed"]);
  });

  test("a room that this very message was assigned with is discarded: an earlier claim died and told nobody", async () => {
    const [message] = world.pool.contents();
    const own = formatMarker({
      state: "assigned",
      since: "2026-01-01T00:00:00.000Z",
      messageId: message?.id,
    });
    await world.conferences.update(Number(world.room("room-a")?.id), { description: own });
    await world.addPooled("room-b");

    expect(await claim()).toMatchObject({ name: "room-b" });
    expect(world.deletion.texts()).toEqual(["room-a"]);
    expect(world.room("room-a")).toMatchObject({ description: own, tag: "" });
  });

  test("a second message of a room that somebody has is deleted, and that room is not touched", async () => {
    const other = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "other" });
    const fields = { description: other, tag: "https://verification.example.com/theirs" };
    await world.conferences.update(Number(world.room("room-a")?.id), fields);
    await world.addPooled("room-b");

    expect(await claim()).toMatchObject({ name: "room-b" });
    expect(world.room("room-a")).toMatchObject(fields);
    expect([...world.pool.texts(), ...world.deletion.texts()]).toEqual([]);
    expect(requests()).toEqual(["claimed"]);
    expect(world.log.fieldsOf("duplicate-message")).toEqual({ room: "room-a", outcome: "deleted" });
  });

  test("after ten unusable names a claim gives up: 503 with Retry-After", async () => {
    world = await restart();
    for (let name = 0; name < 12; name++) await world.pool.put(`gone-${name}`);

    await expect(claim()).rejects.toMatchObject({ code: "claim-failed", details: { retryAfterSeconds: 1 } });
    expect(world.pool.texts()).toEqual(["gone-10", "gone-11"]);
  });

  async function restart(): Promise<PoolWorld> {
    await world.stop();
    return startPoolWorld();
  }
});
