/** Claims whose calls to the platform fail or end too late. */
import { beforeEach, describe, expect, test } from "vitest";
import type { GatewayError } from "../../../src/lib/errors.ts";
import { encodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { maxRooms, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();
beforeEach(async () => world.addPooled("room-a"));

const topUp = { reason: "bulk", upTo: maxRooms };
const claimFailed = { code: "claim-failed", status: 503, details: { retryAfterSeconds: 5 } };

describe("A claim whose call fails", () => {
  const rejected = (...fields: string[]) => {
    const conference = Object.fromEntries(fields.map((field) => [field, ["no"]]));
    return { kind: "status", status: 400, body: { conference } } as const;
  };
  beforeEach(async () => {
    await world.pool.clear();
    await world.pool.put(encodeRoomMessage({ room: "room-a", refusals: 4 }));
    await world.addPooled("room-b");
  });

  test.each([
    ["GET", { kind: "status", status: 503 }, 503],
    ["GET", { kind: "status", status: 429, retryAfterSeconds: 30 }, 503],
    ["GET", { kind: "timeout" }, 503],
    ["PATCH", { kind: "status", status: 403 }, 503],
    ["PATCH", rejected("tag", "description"), 502],
  ] as const)("releases the room after a %s with %j", async (method, fault, status) => {
    world.platform.addFault({ ...fault, method });
    await expect(world.claim()).rejects.toMatchObject({ status });
    expect(await world.pool.receive(2, 1)).toHaveLength(2);
    expect([...world.deletionNames(), ...world.requests()]).toEqual([]);
  });

  test.each([
    [{ kind: "reset" }, 503, "assignment-unknown"],
    [{ kind: "timeout" }, 503, "assignment-unknown"],
    [{ kind: "status", status: 500, when: "after" }, 503, "assignment-unknown"],
    // The fifth refusal.
    [rejected("description"), 502, "refused-often"],
  ] as const)(
    "discards the room after a PATCH with %j, without trying another",
    async (fault, status, reason) => {
      world.platform.addFault({ ...fault, method: "PATCH" });
      await expect(world.claim()).rejects.toMatchObject({ status });
      expect(world.pool.texts()).toEqual(["room-b"]);
      expect([...world.deletionNames(), ...world.requests()]).toEqual(["room-a", topUp]);
      expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "room-a", reason });
    },
  );
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
    const conferences = createConferences({
      call: async (call) => {
        seen.push([call.timeoutSeconds, (Number(call.startBefore) - startedAt) / 1000]);
        return world.client.call(call);
      },
    });
    await world.claim({ conferences, leaseSeconds, platformTimeoutSeconds });
    expect(seen).toEqual([
      [timeoutSeconds, findBefore],
      [timeoutSeconds, changeBefore],
    ]);
  });

  test("releases a message that it receives in the second half of its time, without a call to the platform", async () => {
    world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(12.5) });

    await expect(world.claim()).rejects.toMatchObject(claimFailed);
    expect(world.platform.requests().total).toBe(0);
    expect(await world.pool.receive(1, 60)).toMatchObject([{ text: "room-a" }]);
  });

  test("receives no further message after half of the time", async () => {
    await world.pool.clear();
    await world.pool.put("gone");
    await world.addPooled("room-b");
    world.pool.strikeNext("delete", { meanwhile: () => world.clock.advance(12.5) });

    await expect(world.claim()).rejects.toMatchObject(claimFailed);
    expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(1);
  });
});

test("After three unknown outcomes, claims make one trial per pause, which costs no room, until one works", async () => {
  for (let index = 0; index < 9; index++) await world.addPooled(`room-${index}`);
  const bodies: unknown[] = [];
  const update: Conferences["update"] = async (...input) => {
    bodies.push(input[1]);
    return world.conferences.update(...input);
  };
  const claims = world.createClaims({ conferences: { ...world.conferences, update } });
  const claim = async () =>
    claims.claim(undefined, world.log).then(
      () => "claimed",
      (error: GatewayError) => error.details.retryAfterSeconds,
    );
  // Unlike 503, it causes no pause of the limiter.
  world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });
  for (let count = 1; count <= 3; count++) expect(await claim()).toBe(5);
  expect(world.deletionNames()).toHaveLength(3);

  const calls = world.pool.calls.length;
  expect(await claim()).toBe(10);
  // A claim receives no message during a pause.
  expect(world.pool.calls).toHaveLength(calls);

  const pooled = world.pool.texts().length;
  world.clock.advance(10);
  // The first one is the trial.
  expect(await Promise.all([claim(), claim(), claim()])).toEqual([10, 1, 1]);
  expect(world.pool.texts()).toHaveLength(pooled);
  expect(bodies).toHaveLength(4);

  world.clock.advance(10);
  world.platform.clearFaults();
  const tried = world.pool.contents().find(({ visibleAt }) => visibleAt <= world.clock.now());
  expect([await claim(), await claim()]).toEqual(["claimed", "claimed"]);
  const change = expect.any(Function);
  expect(bodies.slice(4)).toEqual([{ name: tried?.text }, change, change]);
  expect(world.deletionNames()).toHaveLength(3);
});
