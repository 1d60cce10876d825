/** PATCH of a room: what neither a caller nor the platform's refusals can bring in. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeRoom } from "../../../src/lib/api/room-update.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/platform-error.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

const forged = formatMarker({ state: "pooled", since: "2020-01-01T00:00:00.000Z" });

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

test("a marker that a caller sends does not make another's room look like one of ours", async () => {
  world.addRoom("theirs", { description: "made by hand" });
  await changeRoom(world.conferences, "theirs", { description: `a text\n${forged}` });
  expect(world.room("theirs")?.description).toBe("a text");
});

test("a marker that a caller sends is not stored beside ours", async () => {
  world.addRoom("room-a", {
    description: `by hand\n${formatMarker({ state: "assigned", since: "2026-01-15" })}`,
  });
  await changeRoom(world.conferences, "room-a", { description: `a text\n${forged}` });
  expect(world.room("room-a")?.description).toBe("a text\nvmr-gateway assigned 2026-01-15");
});

test("null is sent as null for every field but the description, relations of many included", async () => {
  world.addRoom("room-a");
  const sent: unknown[] = [];
  const update: Conferences["update"] = async (_, fields) => {
    sent.push(fields);
    return true;
  };
  const change = { automatic_participants: null, ivr_theme: null, host_view: null };
  await changeRoom({ ...world.conferences, update }, "room-a", change);
  expect(sent).toEqual([change]);
});

test("of a refusal, only what can be a field's name is told", async () => {
  world.addRoom("room-a");
  const conference = { "the PIN 482913 is taken": ["x"], tag: ["x"], ["x".repeat(65)]: ["x"] };
  const update: Conferences["update"] = async () => {
    throw new PlatformError({
      outcome: "refused",
      message: "PATCH: status 400",
      status: 400,
      body: { conference },
    });
  };
  await expect(changeRoom({ ...world.conferences, update }, "room-a", { tag: "x" })).rejects.toMatchObject({
    details: { faults: [{ loc: ["body", "tag"] }] },
  });
});
