/** Claims that succeed, and what they leave behind on the platform and in the queues. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { parseMarker } from "../../../src/lib/rooms/marker.ts";
import {
  guestPin,
  hostPin,
  maxClaimsAtOnce,
  maxRooms,
  type PoolWorld,
  platformTimeoutSeconds,
  startPoolWorld,
} from "../../support/pool-world.ts";

const tag = "https://verification.example.com/session/1";
const leaseSeconds = 300;

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

const claim = async (serviceTag?: string) =>
  createClaims({ ...world, leaseSeconds, platformTimeoutSeconds, maxClaimsAtOnce }).claim(
    serviceTag,
    world.log,
  );

test("the caller gets a pooled room with its tag, the message is gone, and one replacement is asked for", async () => {
  await world.addPooled("room-a");
  const [message] = world.pool.contents();

  const room = await claim(tag);

  expect(room).toMatchObject({ name: "room-a", tag, guest_pin: guestPin });
  expect(world.room("room-a")?.tag).toBe(tag);
  expect(parseMarker(world.room("room-a")?.description)).toEqual({
    state: "assigned",
    since: new Date(world.clock.now()).toISOString(),
    messageId: message?.id,
  });
  expect(world.pool.contents()).toEqual([]);
  expect(world.provisioning.texts().map((text): unknown => JSON.parse(text))).toEqual([
    { reason: "claimed" },
  ]);
  expect(world.deletion.contents()).toEqual([]);
  expect(world.log.lines.map(({ event, fields }) => [event, fields])).toEqual([
    ["room-claimed", { room: "room-a" }],
  ]);
});

test("a claim without a tag leaves the room's tag as it is", async () => {
  await world.addPooled("room-a", { tag: "https://verification.example.com/kept" });

  expect((await claim())?.tag).toBe("https://verification.example.com/kept");
  expect(world.room("room-a")?.tag).toBe("https://verification.example.com/kept");
});

test("a room without a marker can be claimed, and keeps its own description", async () => {
  await world.addPooled("room-a", { description: "made by hand" });

  await claim(tag);

  expect(world.room("room-a")?.description).toMatch(/^made by hand\nvmr-gateway assigned /);
});

test("an empty pool is 404 with Retry-After, and one healing request to the maximum", async () => {
  await expect(claim(tag)).rejects.toMatchObject({
    code: "pool-exhausted",
    status: 404,
    details: { retryAfterSeconds: 10 },
  });
  expect(world.provisioning.texts().map((text): unknown => JSON.parse(text))).toEqual([
    { reason: "healing", upTo: maxRooms },
  ]);
  expect(world.log.events()).toEqual(["pool-empty"]);
});

test("callers of an empty pool make no more healing requests than the pool lacks rooms", async () => {
  for (let call = 0; call < 3 * maxRooms; call++) {
    await expect(claim()).rejects.toMatchObject({ code: "pool-exhausted" });
  }
  expect(world.provisioning.contents()).toHaveLength(maxRooms);
});

test("an empty pool is 404 even when the healing request cannot be stored", async () => {
  world.provisioning.strikeNext("put", { failure: "unknown" });

  await expect(claim()).rejects.toMatchObject({ code: "pool-exhausted" });
  expect(world.log.events()).toContain("healing-failed");
});

test("no room goes to two of many callers at once, and each tag stands on its caller's own room", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `room-${index}`);
  for (const name of names) await world.addPooled(name);

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, caller) => claim(`${tag}/${caller}`)),
  );

  const rooms = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(rooms.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const room of rooms) expect(world.room(room.name)?.tag).toBe(room.tag);
  const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refusals.map(({ code }: { code: string }) => code)).toEqual(
    Array.from({ length: 8 }, () => "pool-exhausted"),
  );
});

test("when a lease runs out during a claim and another claim gets the message, no caller gets the room", async () => {
  await world.addPooled("room-a");
  const claimLate = async () => {
    world.clock.advance(leaseSeconds + 1);
    await expect(claim(`${tag}/second`)).rejects.toMatchObject({ code: "pool-exhausted" });
  };
  world.pool.strikeNext("delete", { meanwhile: claimLate });

  await expect(claim(`${tag}/first`)).rejects.toMatchObject({ code: "claim-failed", status: 503 });
  expect(world.room("room-a")?.tag).toBe(`${tag}/first`);
  expect(world.deletion.texts()).toEqual(["room-a"]);
});

test("no line of the log holds a PIN or a service tag", async () => {
  await world.addPooled("room-a");
  await claim(tag);

  const text = JSON.stringify(world.log.lines);
  for (const secret of [hostPin, guestPin, tag]) expect(text).not.toContain(secret);
});
