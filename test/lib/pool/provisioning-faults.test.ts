/** Provisioning that fails: no room is left without a name in a queue, and no name stays that would never be a room. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { createProvisioning, type ProvisioningOptions } from "../../../src/lib/pool/provisioning.ts";
import {
  maxClaimsAtOnce,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
  usualProvisioning,
} from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

async function provision(options: Partial<ProvisioningOptions> = {}): Promise<void> {
  const provisioning = createProvisioning({
    ...world,
    ...usualProvisioning,
    ...options,
  });
  await provisioning.provision({ reason: "claimed" }, 1, world.log);
}
const configuredNames = () => world.platform.rooms().map(({ name }) => name);

test("a pool that does not take the name: rethrown, and no room exists", async () => {
  world.pool.strikeNext("put", { failure: "unknown" });

  await expect(provision()).rejects.toMatchObject({ code: "storage-unavailable" });
  expect(world.platform.requests().total).toBe(0);
});

test.each([400, 403, 409])(
  "a create refused with %i: the name is removed, and the failure rethrown",
  async (status) => {
    world.platform.addFault({ kind: "status", status, method: "POST" });

    await expect(provision()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.log.events()).toEqual(["provisioning-failed"]);
  },
);

test("a full licence removes the name, and the failure is rethrown", async () => {
  world.platform.setBehaviour({ roomLimit: 0 });

  await expect(provision()).rejects.toMatchObject({ code: "platform-rejected" });
  expect(world.pool.texts()).toEqual([]);
});

test("a connection that never came about removes the name, without a look-up", async () => {
  await world.platform.goDown("refuse");

  await expect(provision({ conferences: world.newConferences() })).rejects.toMatchObject({
    outcome: "not-sent",
  });
  expect(world.pool.texts()).toEqual([]);
  await world.platform.goUp();
});

test.each([
  ["500", { kind: "status", status: 500 }],
  ["a page of HTML", { kind: "html500" }],
  ["a reset", { kind: "reset" }],
  ["no answer", { kind: "timeout" }],
] as const)(
  "a room that was made although the create got %s is found and joins the pool",
  async (_, fault) => {
    world.platform.addFault({ ...fault, when: "after", method: "POST" });

    await provision();
    expect(world.pool.texts()).toEqual(configuredNames());
    expect(world.pool.texts()).toHaveLength(1);
    expect(world.log.events()).toEqual(["room-adopted", "room-provisioned"]);
    expect(await world.pool.receive(1, 60)).toHaveLength(1);
  },
);

test("a room that is found only at the third look-up joins the pool, and is made once", async () => {
  world.platform.addFault({ kind: "status", status: 500, when: "after", method: "POST" });
  const triesOfTwoLookUps = 6;
  world.platform.addFault({ kind: "status", status: 503, method: "GET", count: triesOfTwoLookUps });

  await provision({ platformTimeoutSeconds: 10 });
  expect(world.pool.texts()).toEqual(configuredNames());
  expect(world.platform.requests().byRoute["POST /api/admin/configuration/v1/conference/"]).toBe(1);
});

test.each([
  ["500", { kind: "status", status: 500 }],
  ["a reset", { kind: "reset" }],
  ["no answer", { kind: "timeout" }],
] as const)(
  "when the create got %s and made nothing, the name is removed after the look-up",
  async (_, fault) => {
    world.platform.addFault({ ...fault, when: "before", method: "POST" });

    await expect(provision()).rejects.toMatchObject({ outcome: "unknown" });
    expect(world.pool.texts()).toEqual([]);
    expect(world.platform.roomCount()).toBe(0);
  },
);

test("the look-up after an unknown create ends within six times the time limit", async () => {
  world.platform.addFault({ kind: "status", status: 500, method: "POST" });
  const startedAt = world.clock.now();
  const conferences = { ...world.conferences, findByName: async () => undefined };

  await expect(provision({ conferences, platformTimeoutSeconds: 10 })).rejects.toMatchObject({
    outcome: "unknown",
  });
  expect(world.clock.sleeps.length).toBeGreaterThan(20);
  expect(world.clock.now() - startedAt).toBeLessThanOrEqual(60_000);
});

test("a name whose room failed and that cannot be removed becomes visible, and a claim drops it", async () => {
  world.platform.addFault({ kind: "status", status: 403, method: "POST" });
  world.pool.strikeNext("delete", { failure: "unknown" });
  world.pool.strikeNext("delete", { failure: "unknown" });
  await expect(provision()).rejects.toMatchObject({ code: "platform-rejected" });
  expect(world.pool.texts()).toHaveLength(1);

  world.clock.advance(600);
  const claims = createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce });
  await expect(claims.claim(undefined, world.log)).rejects.toMatchObject({ code: "pool-exhausted" });
  expect(world.pool.texts()).toEqual([]);
});

test("a room that cannot be made visible becomes visible by itself within ten minutes", async () => {
  world.pool.strikeNext("setInvisible", { failure: "unknown" });

  await provision();
  expect(world.deletion.texts()).toEqual([]);
  expect(world.log.events()).toEqual(["room-not-made-visible", "room-provisioned"]);
  expect(await world.pool.receive(1, 60)).toEqual([]);
  world.clock.advance(600);
  expect(await world.pool.receive(1, 60)).toHaveLength(1);
});

test("a room whose name bulk delete cleared meanwhile goes to the deletion queue", async () => {
  world.pool.strikeNext("setInvisible", { meanwhile: async () => world.pool.clear() });

  await provision();
  expect(world.deletion.texts()).toEqual(configuredNames());
  expect(world.deletion.texts()).toHaveLength(1);
});

test("a maker that was paused until its name could be seen makes no room, and removes the name", async () => {
  world.pool.strikeNext("put", { meanwhile: () => world.clock.advance(600) });

  await expect(provision()).rejects.toMatchObject({ code: "platform-timeout", outcome: "not-sent" });
  expect(world.platform.requests().total).toBe(0);
  expect(world.pool.texts()).toEqual([]);
});

test("a room that was claimed while its maker was paused is its caller's, and not queued for deletion", async () => {
  const claims = createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce });
  const claimed: string[] = [];
  const claimMeanwhile = async () => {
    world.clock.advance(600);
    claimed.push((await claims.claim(undefined, world.log)).name);
  };
  world.pool.strikeNext("setInvisible", { meanwhile: claimMeanwhile });

  await provision();
  expect(claimed).toEqual(configuredNames());
  expect(world.deletion.texts()).toEqual([]);
});
