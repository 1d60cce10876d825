/** A measurement: the values of the row, missing ones, and unaccounted rooms. */
import { expect, test } from "vitest";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import { formatMarker, otherGateway } from "../../support/markers.ts";
import { hostPin, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const assignedSince = (hoursAgo: number) => {
  const since = new Date(world.clock.now() - hoursAgo * 3600_000).toISOString();
  return { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) };
};
const failGet = (pathPattern: string) =>
  world.platform.addFault({ kind: "status", status: 403, method: "GET", pathPattern });
const nulls = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, null]));

test("Names of rooms that do not exist yet are neither available nor unaccounted, and no alarm is `none`", async () => {
  await world.pool.put("coming");
  const counts = { PoolDepth: 1, AvailableRooms: 0, UnaccountedRooms: 0 };
  const missing = { AlarmLevel: "none", ...nulls("DeletionOldestSeconds", "PoolMinimum") };
  expect(await world.collectMetrics()).toMatchObject({ ...counts, ...missing });
});

test("Rooms of other settings or older releases are outdated, and those of others do not count", async () => {
  const since = "2026-01-01T00:00:00.000Z";
  const madeWith = (fingerprint?: string) => ({
    description: formatMarker({ state: "pooled", since, fingerprint }),
  });
  await world.addPooled("current");
  await world.addPooled("other-template", madeWith(roomFingerprint({ participant_limit: 3 }, hostPin)));
  await world.addPooled("other-pin-length", madeWith(roomFingerprint({}, `${hostPin}0`)));
  await world.addPooled("older", madeWith());
  world.addRoom("in-use", assignedSince(1));
  await world.addPooled("by-hand", { description: "by hand" });
  for (const state of ["pooled", "assigned"] as const)
    world.addRoom(`other-${state}`, { description: formatMarker({ gateway: otherGateway, state, since }) });
  const counts = { AvailableRooms: 4, InUseRooms: 1, OutdatedRooms: 3, UnaccountedRooms: 0 };
  expect(await world.collectMetrics()).toMatchObject(counts);
  for (const other of [{ ROOM_HOST_PIN: "1357" }, { ROOM_TEMPLATE: '{"participant_limit":4}' }])
    expect(await world.collectMetrics(other)).toMatchObject({ OutdatedRooms: 4 });
});

const [rooms, live, alarms] = [
  "/configuration/v1/conference/",
  "/status/v1/conference/",
  "/status/v1/alarm/",
];
test.each([
  ["alarms", [rooms, live]],
  ["running conferences", [rooms, alarms]],
  ["rooms", [live, alarms]],
])("PlatformConnected is true if only the %s can be read", async (_, failing) => {
  for (const pathPattern of failing) failGet(String(pathPattern));
  expect(await world.collectMetrics()).toMatchObject({ PlatformConnected: true });
});

test("AlarmLevel is the most severe one, and AlarmNames has up to 1,000 characters", async () => {
  for (const level of ["new", "unknown", "info", "warning", "minor", "major", "error", "critical"]) {
    world.platform.raiseAlarm({ name: `alarm_${level}`, level });
    expect(await world.collectMetrics()).toMatchObject({ AlarmLevel: level });
  }
  for (let index = 100; index < 300; index++)
    world.platform.raiseAlarm({ name: `a_${index}`, level: "error" });
  const row = await world.collectMetrics();
  expect(row).toMatchObject({ AlarmCount: 208, AlarmLevel: "critical" });
  expect(row?.AlarmNames).toHaveLength(1000);
  expect(row?.AlarmNames).toMatch(/^a_100,a_101,/);
});

const logged = (event: string) =>
  world.log.lines.filter((line) => line.event === event).map(({ level, fields }) => ({ level, ...fields }));

test("The log names unaccounted rooms that are assigned, the oldest first, and counts pooled ones", async () => {
  world.addRoom("day-old", assignedSince(24.25));
  world.addRoom("odd", {
    description: formatMarker({ state: "assigned", since: "yesterday", messageId: "m-1" }),
  });
  world.addRoom("week-old", assignedSince(168));
  world.addRoom("recent", assignedSince(24));
  for (const name of ["lost-1", "lost-2"]) world.addRoom(name);

  expect(await world.collectMetrics()).toMatchObject({ AvailableRooms: 0, UnaccountedRooms: 5 });
  expect(logged("room-unaccounted")).toEqual([
    { level: "warn", room: "week-old", reason: "assigned-too-long", ageHours: 168 },
    { level: "warn", room: "day-old", reason: "assigned-too-long", ageHours: 24.2 },
    { level: "warn", room: "odd", reason: "assigned-at-unknown-time", ageHours: null },
  ]);
  const unnamed = { level: "warn", count: 2, notListed: 0, beyondPool: 2 };
  expect(logged("rooms-unaccounted-unnamed")).toEqual([unnamed]);
});

test("The log has up to 100 lines, for the oldest unaccounted rooms, and one with the number of the others", async () => {
  for (let index = 0; index < 103; index++) world.addRoom(`room-${index}`, assignedSince(200 - index));
  world.addRoom("lost");
  await world.collectMetrics();
  const names = logged("room-unaccounted").map((line) => Reflect.get(line, "room"));
  expect(names).toEqual(Array.from({ length: 100 }, (_, index) => `room-${index}`));
  const unnamed = { level: "warn", count: 4, notListed: 3, beyondPool: 1 };
  expect(logged("rooms-unaccounted-unnamed")).toEqual([unnamed]);
});

test("The log names no room if each is accounted for, or if the live conferences cannot be read", async () => {
  await world.addPooled("pooled-1");
  world.addRoom("live", assignedSince(48));
  world.platform.startConference({ name: "live" });
  expect(await world.collectMetrics()).toMatchObject({ UnaccountedRooms: 0 });
  failGet("/status/v1/");
  expect(await world.collectMetrics()).toMatchObject({ UnaccountedRooms: null });
  expect(world.log.events().filter((event) => event.includes("unaccounted"))).toEqual([]);
});

test("What the platform does not say is null, and the queues are counted", async () => {
  await world.addPooled("pooled-1");
  await world.platform.goDown("reset");
  expect(await world.collectMetrics()).toMatchObject({
    PlatformConnected: false,
    PoolDepth: 1,
    ...nulls("AvailableRooms", "InUseRooms", "UnaccountedRooms", "OutdatedRooms", "LiveConferences"),
    ...nulls("AlarmCount", "AlarmLevel", "AlarmNames"),
  });
  expect(world.log.events()).toContain("measurement-failed");
});

test("What the queues do not say is null, and the platform is measured", async () => {
  await world.addPooled("pooled-1");
  for (const name of ["pool", "deletion", "provisioning", "poison"] as const)
    world[name].strikeNext("count", { failure: "unknown" });
  world.deletion.strikeNext("peek", { failure: "unknown" });
  expect(await world.collectMetrics()).toMatchObject({
    PlatformConnected: true,
    AvailableRooms: 1,
    ...nulls("PoolDepth", "DeletionDepth", "DeletionOldestSeconds", "ProvisioningDepth", "PoisonDepth"),
    ...nulls("UnaccountedRooms"),
  });
});
