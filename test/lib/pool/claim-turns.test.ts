/** More claims at once than may be in work. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import {
  maxClaimsAtOnce,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
} from "../../support/pool-world.ts";

const names = Array.from({ length: maxClaimsAtOnce + 1 }, (_, index) => `room-${index}`);

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
  for (const name of names) await world.addPooled(name);
});
afterEach(async () => world.stop());

/** Claims of one instance, all of its turns taken by claims that wait for the pool until they are released. */
async function takeAllTurns() {
  const claims = createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce });
  const gate = Promise.withResolvers<void>();
  for (let index = 0; index < maxClaimsAtOnce; index++) {
    world.pool.strikeNext("receive", { meanwhile: async () => gate.promise });
  }
  const first = Array.from({ length: maxClaimsAtOnce }, async () => claims.claim(undefined, world.log));
  return { claims, first: Promise.all(first), release: gate.resolve };
}

test("a claim that waits for its turn holds no message, and then gets a room", async () => {
  const { claims, first, release } = await takeAllTurns();
  const last = claims.claim(undefined, world.log);
  await new Promise(setImmediate);

  expect(world.pool.contents().map(({ dequeueCount }) => dequeueCount)).toEqual(names.map(() => 0));

  release();
  const rooms = [...(await first), await last];
  expect(rooms.map(({ name }) => name).toSorted()).toEqual(names);
  expect(world.pool.contents()).toEqual([]);
});

test("as many claims as may be in work are in work at once, and no more", async () => {
  const { claims, first, release } = await takeAllTurns();
  const last = claims.claim(undefined, world.log);
  await new Promise(setImmediate);

  expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(maxClaimsAtOnce);
  release();
  await Promise.all([first, last]);
});

test("a claim whose time ran out while it waited touches nothing", async () => {
  const { claims, first, release } = await takeAllTurns();
  const last = claims.claim(undefined, world.log);
  world.clock.advance(25);
  release();

  await expect(last).rejects.toMatchObject({ code: "claim-failed", status: 503 });
  // Those whose message came too late for the platform gave it back.
  await expect(first).rejects.toMatchObject({ code: "platform-timeout" });
  expect(
    world.pool
      .contents()
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(names);
});

test("a claim that fails gives its turn to the next", async () => {
  const claims = createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce: 1 });
  world.pool.strikeNext("receive", { failure: "unknown" });

  await expect(claims.claim(undefined, world.log)).rejects.toMatchObject({ failure: "unknown" });
  await expect(claims.claim(undefined, world.log)).resolves.toMatchObject({ name: "room-0" });
});
