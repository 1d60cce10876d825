/** What bounds a claim's calls to the platform: its deadline, and a time limit that fits into the lease. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { maxClaimsAtOnce, type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
  await world.addPooled("room-a");
});
afterEach(async () => world.stop());

const claim = async (
  options: { leaseSeconds: number; platformTimeoutSeconds: number },
  conferences: Pick<Conferences, "findByName" | "update"> = world.conferences,
) => createClaims({ ...world, conferences, maxClaimsAtOnce, ...options }).claim(undefined, world.log);

test.each([
  ["the platform's own with the usual lease", 300, 10, 10],
  ["the platform's own where that is longer than usual", 300, 30, 30],
  ["a quarter of a short lease", 20, 10, 5],
])(
  "a claim's calls have the time limit that is %s",
  async (_, leaseSeconds, platformTimeoutSeconds, limit) => {
    const timeLimits: unknown[] = [];
    const conferences: Pick<Conferences, "findByName" | "update"> = {
      findByName: async (name, limits) => {
        timeLimits.push(limits?.timeoutSeconds);
        return world.conferences.findByName(name, limits);
      },
      update: async (id, fields, limits) => {
        timeLimits.push(limits?.timeoutSeconds);
        return world.conferences.update(id, fields, limits);
      },
    };

    await claim({ leaseSeconds, platformTimeoutSeconds }, conferences);
    expect(timeLimits).toEqual([limit, limit]);
  },
);

test("a message that came after the claim's deadline is given back, and the platform is not called", async () => {
  world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(25) });

  await expect(claim({ leaseSeconds: 300, platformTimeoutSeconds: 10 })).rejects.toMatchObject({
    code: "platform-timeout",
  });
  expect(world.platform.requests().total).toBe(0);
  expect(await world.pool.receive(1, 60)).toMatchObject([{ text: "room-a" }]);
});

test("a claim takes no further message after its deadline", async () => {
  world = await restart();
  await world.pool.put("gone");
  await world.addPooled("room-b");
  world.pool.strikeNext("delete", { meanwhile: () => world.clock.advance(25) });

  await expect(claim({ leaseSeconds: 300, platformTimeoutSeconds: 10 })).rejects.toMatchObject({
    code: "claim-failed",
  });
  expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(1);
});

test("a room whose lease ran out while it was discarded, and that another claim has, is left to that caller", async () => {
  world.platform.addFault({ kind: "status", status: 500, method: "PATCH" });
  const claimMeanwhile = async () => {
    world.clock.advance(300);
    const [message] = await world.pool.receive(1, 300);
    if (message) await world.pool.delete(message);
  };
  world.pool.strikeNext("delete", { failure: "unknown" });
  world.pool.strikeNext("delete", { meanwhile: claimMeanwhile });

  await expect(claim({ leaseSeconds: 300, platformTimeoutSeconds: 10 })).rejects.toMatchObject({
    code: "platform-unavailable",
  });
  expect(world.log.fieldsOf("room-discard-failed")).toMatchObject({ room: "room-a", message: "lost" });
  expect([...world.deletion.texts(), ...world.provisioning.texts()]).toEqual([]);
});

test("a look-up whose answer is not of the documented shape makes the name wait out its lease", async () => {
  const unreadable = createConferences({ call: async () => ({ status: 200, headers: {}, body: {} }) });

  await expect(claim({ leaseSeconds: 300, platformTimeoutSeconds: 10 }, unreadable)).rejects.toMatchObject({
    code: "platform-rejected",
  });
  expect(world.pool.texts()).toEqual(["room-a"]);
  expect(await world.pool.receive(1, 60)).toEqual([]);
});

async function restart(): Promise<PoolWorld> {
  await world.stop();
  return startPoolWorld();
}
