/** A room whose creation got no good answer: it is looked for, and the pool keeps its name only when it is there. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createProvisioning } from "../../../src/lib/pool/provisioning.ts";
import { type PoolWorld, startPoolWorld, usualProvisioning } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const provision = async (conferences: Pick<Conferences, "create" | "findByName"> = world.conferences) =>
  createProvisioning({
    ...world,
    ...usualProvisioning,
    conferences,
    platformTimeoutSeconds: 10,
  }).provision({ reason: "claimed" }, 1, world.log);

test("every two seconds, for a minute", async () => {
  world.platform.addFault({ kind: "status", status: 500, method: "POST" });
  const findByName = async () => undefined;

  await expect(provision({ ...world.conferences, findByName })).rejects.toMatchObject({ outcome: "unknown" });
  expect(world.clock.sleeps).toEqual(Array.from({ length: 29 }, () => 2000));
});

test("a look-up that fails proves nothing: the name of a room that was not made is removed", async () => {
  world.platform.addFault({ kind: "status", status: 500, method: "POST" });
  world.platform.addFault({ kind: "status", status: 503, method: "GET" });

  await expect(provision()).rejects.toMatchObject({ outcome: "unknown" });
  expect(world.pool.texts()).toEqual([]);
});

test("after an error that nobody expected, a room that was made joins the pool all the same", async () => {
  const create: Conferences["create"] = async (...given) => {
    await world.conferences.create(...given);
    throw new TypeError("a programming error");
  };
  await provision({ ...world.conferences, create });

  expect(world.pool.texts()).toEqual(world.platform.rooms().map(({ name }) => name));
  expect(world.log.events()).toEqual(["room-adopted", "room-provisioned"]);
});

test("a room that is made is logged with its name and the reason", async () => {
  await provision();
  const [room] = world.pool.texts();
  expect(world.log.fieldsOf("room-provisioned")).toEqual({ room, reason: "claimed" });
});
