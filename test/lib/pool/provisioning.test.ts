/** Provisioning that succeeds, and requests that are dropped because the pool has enough. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProvisioning, type ProvisioningOptions } from "../../../src/lib/pool/provisioning.ts";
import { parseMarker } from "../../../src/lib/rooms/marker.ts";
import {
  hostPin,
  maxRooms,
  type PoolWorld,
  startPoolWorld,
  usualProvisioning,
} from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

async function provision(
  request: unknown,
  dequeueCount = 1,
  options: Partial<ProvisioningOptions> = {},
): Promise<void> {
  const provisioning = createProvisioning({
    ...world,
    ...usualProvisioning,
    ...options,
  });
  await provisioning.provision(request, dequeueCount, world.log);
}
const fill = async (count: number) => {
  for (let index = 0; index < count; index++) await world.pool.put(`room-${index}`);
};
/** What the host does before it calls the function: the request it serves still counts as waiting. */
const requestAndServe = async (request: object, dequeueCount?: number) => {
  await world.provisioning.put(JSON.stringify(request));
  await provision(request, dequeueCount);
};

test("a new room is on the platform under the name in the pool, with alias, PINs and the marker pooled", async () => {
  await provision({ reason: "claimed" }, 1, { template: { host_view: "two_mains_twentyone_pips" } });

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
});

test("the name is in the pool before the room is asked for, and no claim can see it meanwhile", async () => {
  let pooledBefore: readonly string[] = [];
  let visibleBefore: readonly unknown[] = [];
  const create: PoolWorld["conferences"]["create"] = async (fields, limits) => {
    pooledBefore = world.pool.texts();
    visibleBefore = await world.pool.receive(32, 1);
    expect(fields).toMatchObject({ name: pooledBefore[0] });
    await world.conferences.create(fields, limits);
  };

  await provision({ reason: "claimed" }, 1, { conferences: { ...world.conferences, create } });
  expect(pooledBefore).toHaveLength(1);
  expect(visibleBefore).toEqual([]);
});

test("a room ripens before it can be claimed", async () => {
  await provision({ reason: "claimed" }, 1, { readyDelaySeconds: 90 });

  world.clock.advance(89);
  expect(await world.pool.receive(1, 60)).toEqual([]);
  world.clock.advance(1);
  expect(await world.pool.receive(1, 60)).toHaveLength(1);
});

test("no line of the log holds a PIN", async () => {
  await provision({ reason: "claimed" });

  const pin = world.room(world.pool.texts()[0] ?? "")?.["guest_pin"];
  expect(world.log.events()).toEqual(["room-provisioned"]);
  for (const secret of [hostPin, String(pin)]) expect(JSON.stringify(world.log.lines)).not.toContain(secret);
});

describe("requests", () => {
  test("a replacement is served however full the pool is", async () => {
    await fill(maxRooms);
    await provision({ reason: "claimed" });

    expect(world.platform.roomCount()).toBe(1);
  });

  test("a replacement that comes back after a crash is dropped when the pool is full", async () => {
    await fill(maxRooms);
    await provision({ reason: "claimed" }, 2);
    expect(world.platform.roomCount()).toBe(0);
    expect(world.log.events()).toEqual(["provisioning-dropped"]);
  });

  test("a replacement that comes back is served while the pool is not full", async () => {
    await fill(maxRooms - 1);
    await provision({ reason: "claimed" }, 2);
    expect(world.platform.roomCount()).toBe(1);
  });

  test.each([
    [2, 3, 1],
    [3, 3, 0],
    [4, 3, 0],
  ])("with %i names pooled, a bulk request up to %i makes %i rooms", async (pooled, upTo, made) => {
    await fill(pooled);
    await requestAndServe({ reason: "bulk", upTo });
    expect(world.platform.roomCount()).toBe(made);
  });

  test("a bulk request above the maximum is served, but not when it comes back after a crash", async () => {
    await fill(maxRooms);
    await requestAndServe({ reason: "bulk", upTo: 100 }, 2);
    expect(world.platform.roomCount()).toBe(0);
    await requestAndServe({ reason: "bulk", upTo: 100 }, 1);
    expect(world.platform.roomCount()).toBe(1);
  });

  test("a bulk request that comes back is served while the pool is not full", async () => {
    await fill(maxRooms - 1);
    await requestAndServe({ reason: "bulk", upTo: maxRooms }, 2);
    expect(world.platform.roomCount()).toBe(1);
  });

  test("a healing request is dropped when waiting requests will fill the pool without it", async () => {
    await fill(maxRooms - 1);
    await world.provisioning.put(JSON.stringify({ reason: "claimed" }));
    await requestAndServe({ reason: "healing", upTo: maxRooms });
    expect(world.platform.roomCount()).toBe(0);
  });

  test("a bulk request is served although others wait: only what is pooled counts", async () => {
    await fill(1);
    for (let waiting = 0; waiting < 3; waiting++) await world.provisioning.put('{"reason":"claimed"}');
    await requestAndServe({ reason: "bulk", upTo: 3 });
    expect(world.platform.roomCount()).toBe(1);
  });

  test("a healing request that is the only one waiting is served", async () => {
    await fill(maxRooms - 1);
    await requestAndServe({ reason: "healing", upTo: maxRooms });
    expect(world.platform.roomCount()).toBe(1);
  });

  test.each([
    ["text", "claimed"],
    ["null", null],
    ["an array", [{ reason: "claimed" }]],
    ["no reason", {}],
    ["an unknown reason", { reason: "tuesday" }],
    ["a level that is no number", { reason: "bulk", upTo: "5" }],
    ["a negative level", { reason: "healing", upTo: -1 }],
    ["a missing level", { reason: "healing" }],
  ])("%s is logged and completed, and makes nothing", async (_, request) => {
    await provision(request);

    expect(world.log.events()).toEqual(["provisioning-request-malformed"]);
    expect(world.pool.calls).toEqual([]);
    expect(world.platform.requests().total).toBe(0);
  });
});
