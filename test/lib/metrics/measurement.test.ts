/** A measurement: the values of the row, missing ones, and unaccounted rooms. */
import { describe, expect, test } from "vitest";
import { metricsColumns } from "../../../src/lib/metrics/measurement.ts";
import type { ConferenceFields } from "../../../src/lib/platform/conferences.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import { formatMarker } from "../../support/markers.ts";
import { hostPin, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const assignedSince = (hoursAgo: number) => {
  const since = new Date(world.clock.now() - hoursAgo * 3600_000).toISOString();
  return { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) };
};
const failGet = (pathPattern: string) =>
  world.platform.addFault({ kind: "status", status: 403, method: "GET", pathPattern });
const lists = {
  rooms: "/configuration/v1/conference/",
  live: "/status/v1/conference/",
  alarms: "/status/v1/alarm/",
};
test("collect writes zero counts, no oldest age and alarm level `none` for an empty platform", async () => {
  const row = await world.collectMetrics();
  expect(Object.keys(row ?? {})).toEqual(Object.keys(metricsColumns));
  expect(row).toMatchObject({
    PoolDepth: 0,
    DeletionOldestSeconds: null,
    AvailableRooms: 0,
    AlarmCount: 0,
    AlarmLevel: "none",
    AlarmNames: "",
    PoolMinimum: null,
  });
});

describe("The row", () => {
  const since = "2026-01-01T00:00:00.000Z";
  const madeWith = (template: ConferenceFields, pin: string) => ({
    description: formatMarker({ state: "pooled", since, fingerprint: roomFingerprint(template, pin) }),
  });

  test.each<[string, object, () => unknown]>([
    [
      "has no unaccounted room if the pool contains names of rooms that do not exist yet",
      { PoolDepth: 1, AvailableRooms: 0, UnaccountedRooms: 0 },
      async () => world.pool.put("coming"),
    ],
    [
      "counts pooled rooms made with another template or PIN length, or without a fingerprint, as outdated",
      { AvailableRooms: 4, InUseRooms: 1, OutdatedRooms: 3 },
      async () => {
        await world.addPooled("current");
        await world.addPooled("other-template", madeWith({ participant_limit: 3 }, hostPin));
        await world.addPooled("other-pin-length", madeWith({}, `${hostPin}0`));
        await world.addPooled("older", { description: formatMarker({ state: "pooled", since }) });
        world.addRoom("in-use", assignedSince(1));
        await world.addPooled("by-hand", { description: "by hand" });
      },
    ],
    [
      "does not count the rooms of another gateway",
      { AvailableRooms: 1, InUseRooms: 1, OutdatedRooms: 0, UnaccountedRooms: 0 },
      async () => {
        await world.addPooled("pooled-1");
        world.addRoom("assigned-1", assignedSince(1));
        const gateway = "production";
        for (const state of ["pooled", "assigned"] as const)
          world.addRoom(`other-${state}`, { description: formatMarker({ gateway, state, since }) });
      },
    ],
  ])("%s", async (_, expected, prepare) => {
    await prepare();
    expect(await world.collectMetrics()).toMatchObject(expected);
  });

  test.each([
    ["alarms", [lists.rooms, lists.live]],
    ["running conferences", [lists.rooms, lists.alarms]],
    ["rooms", [lists.live, lists.alarms]],
  ])("has PlatformConnected if only the %s can be read", async (_, failing) => {
    for (const pathPattern of failing) failGet(pathPattern);
    expect(await world.collectMetrics()).toMatchObject({ PlatformConnected: true });
  });

  test("has the most severe AlarmLevel", async () => {
    const ascending = ["new", "unknown", "info", "warning", "minor", "major", "error", "critical"];
    for (const level of ascending) {
      world.platform.raiseAlarm({ name: `alarm_${level}`, level });
      expect(await world.collectMetrics()).toMatchObject({ AlarmLevel: level });
    }
    world.platform.raiseAlarm({ name: "alarm_later", level: "error" });
    expect(await world.collectMetrics()).toMatchObject({ AlarmCount: 9, AlarmLevel: "critical" });
  });

  test("has at most 1,000 characters of AlarmNames", async () => {
    for (let index = 100; index < 300; index++) world.platform.raiseAlarm({ name: `alarm_${index}` });
    const row = await world.collectMetrics();
    expect(row?.AlarmCount).toBe(200);
    expect(row?.AlarmNames).toHaveLength(1000);
    expect(row?.AlarmNames).toMatch(/^alarm_100,alarm_101,/);
  });
});

describe("The log of unaccounted rooms", () => {
  const logged = (event: string) =>
    world.log.lines.filter((line) => line.event === event).map(({ level, fields }) => ({ level, ...fields }));

  test("names assigned rooms by age, the oldest first, with a reason, and counts pooled ones", async () => {
    world.addRoom("day-old", assignedSince(24.25));
    world.addRoom("odd", { description: "vmr-gateway vmr-gateway assigned yesterday m-1" });
    world.addRoom("week-old", assignedSince(168));
    world.addRoom("recent", assignedSince(24));
    world.addRoom("lost-1");
    world.addRoom("lost-2");

    expect(await world.collectMetrics()).toMatchObject({ UnaccountedRooms: 5 });
    expect(logged("room-unaccounted")).toEqual([
      { level: "warn", room: "week-old", reason: "assigned-too-long", ageHours: 168 },
      { level: "warn", room: "day-old", reason: "assigned-too-long", ageHours: 24.2 },
      { level: "warn", room: "odd", reason: "assigned-at-unknown-time", ageHours: null },
    ]);
    const unnamed = { level: "warn", count: 2, notListed: 0, beyondPool: 2 };
    expect(logged("rooms-unaccounted-unnamed")).toEqual([unnamed]);
  });

  test("has 100 lines at most, for the oldest rooms, and one with the number of the others", async () => {
    for (let index = 0; index < 103; index++) world.addRoom(`room-${index}`, assignedSince(200 - index));
    world.addRoom("lost");
    await world.collectMetrics();

    const names = logged("room-unaccounted").map((line) => Reflect.get(line, "room"));
    expect(names).toEqual(Array.from({ length: 100 }, (_, index) => `room-${index}`));
    const unnamed = { level: "warn", count: 4, notListed: 3, beyondPool: 1 };
    expect(logged("rooms-unaccounted-unnamed")).toEqual([unnamed]);
  });

  test("has no line if every room is accounted for, or if the live conferences cannot be read", async () => {
    await world.addPooled("pooled-1");
    world.addRoom("live", assignedSince(48));
    world.platform.startConference({ name: "live" });
    expect(await world.collectMetrics()).toMatchObject({ UnaccountedRooms: 0 });
    failGet("/status/v1/");
    expect(await world.collectMetrics()).toMatchObject({ UnaccountedRooms: null });
    expect(world.log.events().filter((event) => event.includes("unaccounted"))).toEqual([]);
  });
});

describe("A missing measurement", () => {
  test("of the platform is null, PlatformConnected is false, and the queues are counted", async () => {
    await world.addPooled("pooled-1");
    await world.platform.goDown("reset");

    expect(await world.collectMetrics()).toMatchObject({
      PlatformConnected: false,
      PoolDepth: 1,
      AvailableRooms: null,
      InUseRooms: null,
      UnaccountedRooms: null,
      OutdatedRooms: null,
      LiveConferences: null,
      AlarmCount: null,
      AlarmLevel: null,
      AlarmNames: null,
    });
    expect(world.log.events()).toContain("measurement-failed");
  });

  test("of the queues is null, and the platform is measured", async () => {
    await world.addPooled("pooled-1");
    for (const name of ["pool", "deletion", "provisioning", "poison"] as const)
      world[name].strikeNext("count", { failure: "unknown" });
    world.deletion.strikeNext("peek", { failure: "unknown" });

    expect(await world.collectMetrics()).toMatchObject({
      PlatformConnected: true,
      PoolDepth: null,
      DeletionDepth: null,
      DeletionOldestSeconds: null,
      ProvisioningDepth: null,
      PoisonDepth: null,
      AvailableRooms: 1,
      UnaccountedRooms: null,
    });
  });
});
