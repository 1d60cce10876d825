/** ROOM_MAXIMUM_AGE_HOURS: which rooms the collector queues because of their age, and when it deletes them. */
import { beforeEach, expect, test } from "vitest";
import { decodeRoomMessage, loggableName, type Marker } from "../../../src/lib/ownership/room.ts";
import { formatMarker, otherGateway } from "../../support/markers.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();
const maxAgeHours = 2;

/** Adds a room that has had its state for this many hours. */
const addMarked = (name: string, hours: number, marker: Partial<Marker> = {}) => {
  const since = new Date(world.clock.now() - hours * 3600_000).toISOString();
  const claimed = { state: "assigned", messageId: `claim-of-${name}` } as const;
  world.addRoom(name, { description: formatMarker({ ...claimed, since, ...marker }) });
};
const collectAfter = async (seconds: number, maxMessages = 20) =>
  world.collectGarbageAfter(seconds, { maxAgeHours, maxMessages });

beforeEach(() => {
  addMarked("overdue", 2.1);
  addMarked("young", 1.7);
  addMarked("pooled", 9, { state: "pooled" });
  addMarked("test_persistent", 9);
  addMarked("theirs", 9, { gateway: otherGateway });
});

test("An overdue room is queued in the gateway's name with the ID of its claim, and is deleted ten minutes later", async () => {
  await collectAfter(0, 1);
  expect(world.log.events()).toEqual(["room-queued-for-deletion"]);
  expect(world.deletion.texts().map(decodeRoomMessage)).toEqual([
    { room: "overdue", queuedBy: "gateway", claimId: "claim-of-overdue", reason: "maximum-age" },
  ]);
  expect(world.log.fieldsOf("room-queued-for-deletion")).toMatchObject({ room: "overdue", ageHours: 2 });
  await collectAfter(600);
  expect(world.roomNames().toSorted()).toEqual(["pooled", "test_persistent", "theirs", "young"]);
  expect(world.deletion.texts()).toEqual([]);
});

test("A live room is not queued, and a queued room that becomes live is kept", async () => {
  addMarked("other", 3);
  world.platform.startConference({ name: "overdue", participants: 1 });
  await collectAfter(0);
  expect(world.deletionNames()).toEqual(["other"]);
  world.platform.startConference({ name: "other", participants: 1 });
  await collectAfter(600);
  expect(world.roomNames()).toEqual(expect.arrayContaining(["overdue", "other"]));
  expect(world.deletionNames()).toEqual([]);
});

// An event's room is deleted after 403 and 404, which may mean that the platform hides its status.
test.each([403, 404, 409])(
  "Without a live check (%i), no overdue room is queued or deleted",
  async (status) => {
    await collectAfter(0);
    addMarked("other", 3);
    world.platform.addFault({ status, method: "GET", pathPattern: "/status/v1/" });
    await expect(collectAfter(600)).rejects.toThrow("rooms could not be collected");
    await collectAfter(600);
    expect(world.log.events()).toEqual(expect.arrayContaining(["deletion-failed", "live-check-unavailable"]));
    expect(world.roomNames()).toEqual(expect.arrayContaining(["overdue", "other"]));
    expect(world.deletionNames()).toEqual([]);
  },
);

test("A room whose deletion gets 404 is queued again by the next run, once", async () => {
  await collectAfter(0);
  world.platform.addFault({ kind: "status", status: 404, method: "DELETE", count: 1 });
  await collectAfter(600);
  expect(world.deletionNames()).toEqual([]);
  await collectAfter(600);
  expect(world.roomNames()).toContain("overdue");
  expect(world.deletionNames().filter((name) => name === "overdue")).toHaveLength(1);
});

test("Overdue rooms come after ended ones, and use only the capacity that these leave in a run", async () => {
  await collectAfter(0);
  addMarked("oldest", 8);
  addMarked("middle", 4);
  await world.addEnded("ended");
  await collectAfter(600, 3);
  const deleted = world.log.lines.filter(({ event }) => event === "room-deleted");
  expect(deleted.map(({ fields }) => fields["room"])).toEqual(["ended", "overdue"].map(loggableName));
  expect(world.deletionNames()).toHaveLength(1);
  expect(world.log.fieldsOf("overdue-rooms-postponed")).toEqual({ count: 1 });
});

test("The run fails if an overdue room cannot be queued", async () => {
  world.deletion.strikeNext("put", { failure: "unknown" });
  await expect(collectAfter(0)).rejects.toThrow("rooms could not be collected");
  expect(world.log.events()).toEqual(["overdue-rooms-not-queued"]);
});
