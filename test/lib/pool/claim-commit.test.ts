/** The commit of a claim: a room is handed out only when its message was deleted by this claim. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import type { QueueFault } from "../../support/faulty-queue.ts";
import {
  maxClaimsAtOnce,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
} from "../../support/pool-world.ts";

const tag = "https://verification.example.com/session/1";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
  await world.addPooled("room-a");
});
afterEach(async () => world.stop());

const claim = async () =>
  createClaims({ ...world, leaseSeconds: 300, platformTimeoutSeconds, maxClaimsAtOnce }).claim(
    tag,
    world.log,
  );
const strike = (...faults: QueueFault[]) => {
  for (const fault of faults) world.pool.strikeNext("delete", fault);
};

test.each([
  ["was carried out", { failure: "unknown", when: "after" }],
  ["was not carried out", { failure: "unknown", when: "before" }],
] as const)(
  "a lost answer to a delete that %s: asked again, and the room is handed out",
  async (_, fault) => {
    strike(fault);

    expect(await claim()).toMatchObject({ name: "room-a" });
    expect(world.pool.calls.filter((call) => call === "delete")).toHaveLength(2);
    expect(world.pool.texts()).toEqual([]);
    expect(world.deletion.texts()).toEqual([]);
  },
);

test("a receipt that is stale at the first try: 503, and the room is left to its new owner", async () => {
  strike({ failure: "receipt-stale" });

  await expect(claim()).rejects.toMatchObject({ code: "claim-failed", details: { retryAfterSeconds: 1 } });
  expect(world.deletion.texts()).toEqual([]);
  expect(world.provisioning.texts()).toEqual([]);
  expect(world.log.fieldsOf("claim-lost")).toEqual({ room: "room-a", message: "lost" });
});

test("a receipt that is stale at the second try: 503, and the room is left to its new owner", async () => {
  strike({ failure: "unknown" }, { failure: "receipt-stale" });

  await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
  expect(world.deletion.texts()).toEqual([]);
});

test("a message that is gone at the first try is not ours: 503, as when bulk delete cleared the pool", async () => {
  strike({ meanwhile: async () => world.pool.clear() });

  await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
  expect(world.deletion.texts()).toEqual([]);
  expect(world.provisioning.texts()).toEqual([]);
});

test.each(["before", "after"] as const)(
  "a delete that is unknown twice (lost %s it was done): 503, and the room is deleted later",
  async (when) => {
    strike({ failure: "unknown", when }, { failure: "unknown", when: "before" });

    await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
    expect(world.deletion.texts()).toEqual(["room-a"]);
    expect(world.provisioning.texts()).toEqual([]);
  },
);

test("the lease counts from before the message was asked for: a slow answer does not make it longer", async () => {
  world.pool.strikeNext("receive", { meanwhile: () => world.clock.advance(10) });
  strike({ failure: "unknown", when: "after", meanwhile: () => world.clock.advance(295) });

  await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
});

test("an answer that is lost shortly before the lease ends: asked again, and the room is handed out", async () => {
  strike({ failure: "unknown", when: "after", meanwhile: () => world.clock.advance(295) });

  expect(await claim()).toMatchObject({ name: "room-a" });
  expect(world.deletion.texts()).toEqual([]);
});

test("a room whose commit stayed unknown is never handed out by a later claim", async () => {
  strike({ failure: "unknown" }, { failure: "unknown" });
  await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
  world.clock.advance(301);

  await expect(claim()).rejects.toMatchObject({ code: "pool-exhausted" });
  expect(world.log.fieldsOf("room-discarded")).toEqual({ room: "room-a", reason: "unanswered-claim" });
});

test("an unknown commit with a failing deletion queue is logged as a leak: 503", async () => {
  strike({ failure: "unknown" }, { failure: "unknown" });
  world.deletion.strikeNext("put", { failure: "unknown" });

  await expect(claim()).rejects.toMatchObject({ code: "claim-failed" });
  expect(world.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
});

test("the caller gets its room even when the replacement cannot be asked for, which is logged", async () => {
  world.provisioning.strikeNext("put", { failure: "unknown" });

  expect(await claim()).toMatchObject({ name: "room-a" });
  expect(world.log.events()).toContain("replacement-failed");
});

test("a pool that cannot be reached: 503, and nothing is asked of the platform", async () => {
  world.pool.strikeNext("receive", { failure: "unknown" });

  await expect(claim()).rejects.toMatchObject({ code: "storage-unavailable", status: 503 });
  expect(world.platform.requests().total).toBe(0);
});
