/** What bounds the making of a room: the time for its creation, and how long its name is hidden meanwhile. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createProvisioning } from "../../../src/lib/pool/provisioning.ts";
import { type PoolWorld, startPoolWorld, usualProvisioning } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

/** Makes a room with these settings; gives what its creation was allowed, in seconds from its begin. */
async function limitsOf(leaseSeconds: number, platformTimeoutSeconds: number) {
  const begunAt = world.clock.now();
  const allowed: object[] = [];
  const create: Conferences["create"] = async (fields, limits) => {
    const [message] = world.pool.contents();
    allowed.push({
      createSeconds: limits?.timeoutSeconds,
      startsWithinSeconds: ((limits?.startBefore ?? Number.NaN) - begunAt) / 1000,
      hiddenSeconds: ((message?.visibleAt ?? Number.NaN) - begunAt) / 1000,
    });
    await world.conferences.create(fields, limits);
  };
  const provisioning = createProvisioning({
    ...world,
    ...usualProvisioning,
    conferences: { ...world.conferences, create },
    leaseSeconds,
    platformTimeoutSeconds,
  });
  await provisioning.provision({ reason: "claimed" }, 1, world.log);
  return allowed;
}

test.each([
  ["the usual settings: ten minutes", 300, 10, 600, 30],
  ["a short lease: twice that", 100, 10, 200, 30],
  ["a lease shorter than a creation and its look-up: twelve time limits", 40, 10, 120, 30],
  ["a long lease: ten minutes at most", 400, 10, 600, 30],
])(
  "a name is hidden, with %s, and its room is begun early enough to be looked up while it is",
  async (_, leaseSeconds, timeLimitSeconds, hiddenSeconds, createSeconds) => {
    expect(await limitsOf(leaseSeconds, timeLimitSeconds)).toEqual([
      { createSeconds, hiddenSeconds, startsWithinSeconds: hiddenSeconds - createSeconds - 60 },
    ]);
  },
);
