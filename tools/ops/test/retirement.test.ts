/** A retirement on queues and a platform in memory, and the note that it leaves in the description of a room. */
import { expect, test } from "vitest";
import { maxDescriptionCharacters, parseMarker } from "../../../src/lib/ownership/room.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { formatMarker, gatewayName } from "../../../test/support/markers.ts";
import { usePoolWorld } from "../../../test/support/pool-world.ts";
import { type RetirementOptions, retireRoom } from "../pool/retirement.ts";
import { viewRoom } from "../pool/room-views.ts";
import { isTakenOut, withTakenOut } from "../pool/taken-out.ts";

const world = usePoolWorld();
const settings = loadSettings({ ...exampleEnvironment, GATEWAY_NAME: gatewayName });
const since = "2026-01-01T00:00:00.000Z";

const retire = async (changes: Partial<RetirementOptions> = {}) =>
  retireRoom({ ...world, settings, command: "shrink", ...changes });
const depths = () => [world.pool.contents().length, world.deletion.contents().length];

test("Queues nothing once the lease has ended, because another claim may have handed the room out", async () => {
  await world.addPooled("room-1");
  const update: RetirementOptions["conferences"]["update"] = async (...input) => {
    const isFound = await world.conferences.update(...input);
    world.clock.advance(settings.pool.leaseSeconds);
    return isFound;
  };
  const retiring = retire({ conferences: { ...world.conferences, update } });
  await expect(retiring).rejects.toMatchObject({ code: "claim-failed" });
  expect(depths()).toEqual([1, 0]);
});

test("Leaves a name to its lease if half of that is over when it arrives", async () => {
  await world.addPooled("room-1");
  const late = () => world.clock.advance(settings.pool.leaseSeconds / 2);
  world.pool.strikeNext("receive", { meanwhile: late });
  expect(await retire()).toBe("none");
  expect(world.room("room-1")?.description).toMatch(/ pooled /);
  expect(world.log.events()).toEqual([]);
});

test("Counts a name that is discarded, even after the time of a claim", async () => {
  await world.pool.put("without-a-room");
  world.pool.strikeNext("delete", { meanwhile: () => world.clock.advance(30) });
  expect(await retire()).toBe("dropped");
  expect(depths()).toEqual([0, 0]);
  expect(world.log.events()).toEqual(["room-discarded"]);
});

test("Does not count a name that could not be discarded, and stays in the pool", async () => {
  await world.pool.put("without-a-room");
  world.pool.strikeNext("delete", { failure: "receipt-stale", meanwhile: () => world.clock.advance(30) });
  await expect(retire()).rejects.toMatchObject({ code: "claim-failed" });
  expect(depths()).toEqual([1, 0]);
});

test("Does not touch a caller's room, although its name is in the pool a second time", async () => {
  const description = formatMarker({ state: "assigned", since, messageId: "another-message" });
  await world.addPooled("room-1", { description });
  expect(await retire()).toBe("dropped");
  expect(depths()).toEqual([0, 0]);
});

const assigned = formatMarker({ state: "assigned", since, messageId: "m-1", fingerprint: "0a1b2c3d" });
const row = (description: string) => ({ id: 1, name: "room-1", description });

test("The note that `ops` adds to a room's description keeps the marker, and stays within the platform's limit", () => {
  const description = withTakenOut(`${"long text ".repeat(30)}\n${assigned}`, "shrink");
  expect(description).toMatch(/^vmr-gateway taken out of the pool by ops shrink\nlong text/);
  expect(parseMarker(description)).toEqual(parseMarker(assigned));
  expect(description.length).toBeLessThanOrEqual(maxDescriptionCharacters);
  expect(isTakenOut(row(description))).toBe(true);
  expect(viewRoom(row(description), false)?.state).toBe("waiting");
  expect(viewRoom(row(description), true)?.state).toBe("live");
  // A caller has this room, and the next one is back in the pool.
  expect(isTakenOut(row(assigned))).toBe(false);
  const pooled = withTakenOut(formatMarker({ state: "pooled", since }), "shrink");
  expect(isTakenOut(row(pooled))).toBe(false);
  expect(isTakenOut(row(withTakenOut("no marker", "shrink")))).toBe(false);
});
