/** Claims whose calls to the platform fail or end too late. */
import { beforeEach, describe, expect, test } from "vitest";
import { encodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { settlePromises } from "../../../tools/simulators/memory/clock.ts";
import type { FaultInput } from "../../../tools/simulators/services/faults.ts";
import { leaseSeconds, maxLevel, platformTimeoutSeconds, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();
beforeEach(async () => world.addPooled("room-a"));

const topUp = { reason: "bulk", upTo: maxLevel };
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

  // settlement.test.ts has the other outcomes of a change.
  test.each<[string, "GET" | "PATCH", FaultInput, string | undefined]>([
    ["503", "GET", { status: 503 }, undefined],
    ["503", "PATCH", { status: 503 }, "assignment-unknown"],
    ["429", "PATCH", { status: 429 }, undefined],
    ["a refusal of the tag", "PATCH", rejected("tag", "description"), undefined],
    ["the fifth refusal of the room", "PATCH", rejected("description"), "refused-often"],
  ])("after %s to its %s releases or discards its room, and tries no other", async (...given) => {
    const [, method, fault, reason] = given;
    world.platform.addFault({ ...fault, method });
    await expect(world.claim()).rejects.toBeInstanceOf(PlatformError);
    expect(await world.pool.receive(2, 1)).toHaveLength(reason ? 1 : 2);
    expect([...world.deletionNames(), ...world.requests()]).toEqual(reason ? ["room-a", topUp] : []);
    expect(world.log.fieldsOf("room-discarded")).toEqual(reason && { room: "room-a", reason });
  });
});

describe("A claim with limited time", () => {
  test("receives no message if it gets no slot in time", async () => {
    for (let slot = 1; slot <= 5; slot++) await world.client.takeClaimSlot(world.clock.now() + 1);
    const claimed = world.claim().catch((error: unknown) => error);
    await settlePromises();
    world.clock.advance(12.5);
    expect(await claimed).toMatchObject(claimFailed);
    expect(world.pool.calls).not.toContain("receive");
  });

  test.each([
    [leaseSeconds, platformTimeoutSeconds],
    [30, 7.5],
  ])("and a lease of %i s gives each call a timeout of %d s", async (lease, timeout) => {
    const timeouts: unknown[] = [];
    const findByName: Conferences["findByName"] = async (name, limits) => {
      timeouts.push(limits?.timeoutSeconds);
      return world.conferences.findByName(name, limits);
    };
    await world.claim({ leaseSeconds: lease, conferences: { ...world.conferences, findByName } });
    expect(timeouts).toEqual([timeout]);
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

test("While changes are paused, a claim receives no message, and after the pause one claim sends its change", async () => {
  for (let index = 0; index < 4; index++) await world.addPooled(`room-${index}`);
  const claim = async () => world.claim().catch((error: unknown) => error);
  // Unlike 503, it causes no pause of the limiter.
  world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });
  for (let count = 1; count <= 3; count++) await claim();
  const calls = world.pool.calls.length;
  expect(await claim()).toMatchObject({ details: { retryAfterSeconds: 10 } });
  expect(world.pool.calls).toHaveLength(calls);
  world.clock.advance(10);
  await Promise.all([claim(), claim()]);
  expect(world.deletionNames()).toHaveLength(4);
  expect(world.pool.texts()).toHaveLength(1);
});
