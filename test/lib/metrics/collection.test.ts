/** A metrics run: the row, unaccounted rooms, missing measurements, and filling the pool up to its minimum. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LogWorkspace, startLogWorkspace } from "../../../local/simulators/log-workspace.ts";
import { createMetricsCollection } from "../../../src/lib/metrics/collection.ts";
import { createLogWorkspaceSink } from "../../../src/lib/metrics/log-workspace.ts";
import { metricsColumns } from "../../../src/lib/metrics/row.ts";
import type { ConferenceFields } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createOverdueRooms } from "../../../src/lib/pool/overdue-rooms.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { roomFingerprint } from "../../../src/lib/rooms/room-fingerprint.ts";
import { createFaultyQueue, type FaultyQueue } from "../../support/faulty-queue.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { guestPin, hostPin, maxRooms, type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
let poison: FaultyQueue;
let workspace: LogWorkspace;
beforeEach(async () => {
  world = await startPoolWorld();
  poison = createFaultyQueue(createMemoryQueue(world.clock));
  workspace = await startLogWorkspace();
});
afterEach(async () => {
  await world.stop();
  await workspace.stop();
});

async function collect({
  minRooms,
  maxAgeHours,
}: {
  minRooms?: number;
  maxAgeHours?: number;
} = {}): Promise<void> {
  const { pool, deletion, provisioning, conferences, replenishment, clock } = world;
  const ids = ["run-1", "run-2"];
  const collection = createMetricsCollection({
    queues: { pool, deletion, provisioning, poison },
    conferences,
    status: createPlatformStatus(world.client),
    replenishment,
    sink: createLogWorkspaceSink({
      endpoint: workspace.url,
      ruleId: "dcr-1",
      stream: "Custom-X",
      credential: undefined,
      timeoutSeconds: 20,
    }),
    clock,
    newId: () => ids.shift() ?? "run-n",
    instanceId: "instance-1",
    version: "1.0.0",
    maxRooms,
    minRooms,
    overdueRooms:
      maxAgeHours === undefined
        ? undefined
        : createOverdueRooms({ deletion, clock, maxAgeHours, maxMessages: 20, minAgeSeconds: 600 }),
    fingerprint: roomFingerprint({}, hostPin),
  });
  await collection.collect(world.log);
}
const rows = () => workspace.rows().map(({ row }) => row);
const assignedSince = (hoursAgo: number) => {
  const since = new Date(world.clock.now() - hoursAgo * 3600_000).toISOString();
  return { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) };
};

test("collect writes one row with every column measured", async () => {
  await world.addPooled("pooled-1");
  await world.addPooled("pooled-2");
  world.addRoom("in-use", assignedSince(1));
  world.addRoom("theirs", { description: "by hand" });
  await world.deletion.put("ended");
  world.clock.advance(90);
  await world.deletion.put("ended-later");
  await world.provisioning.put("{}");
  await poison.put("{}");
  world.platform.startConference({ name: "in-use" });
  world.platform.raiseAlarm({ name: "node_offline", level: "warning" });
  world.platform.raiseAlarm({ name: "licence_expired", level: "Critical" });
  world.platform.raiseAlarm({ name: "node_offline", level: "warning", node: "10.0.0.22" });
  await collect({ minRooms: 0 });

  expect(rows()).toEqual([
    {
      TimeGenerated: new Date(world.clock.now()).toISOString(),
      RunId: "run-1",
      InstanceId: "instance-1",
      Version: "1.0.0",
      PlatformConnected: true,
      PoolDepth: 2,
      DeletionDepth: 2,
      DeletionOldestSeconds: 90,
      ProvisioningDepth: 1,
      PoisonDepth: 1,
      AvailableRooms: 2,
      InUseRooms: 1,
      UnaccountedRooms: 0,
      OutdatedRooms: 0,
      LiveConferences: 1,
      AlarmCount: 3,
      AlarmLevel: "Critical",
      AlarmNames: "licence_expired,node_offline",
      MaximumRooms: maxRooms,
      PoolMinimum: 0,
    },
  ]);
  expect(workspace.rows()[0]).toMatchObject({ ruleId: "dcr-1", stream: "Custom-X" });
});

test("collect logs the same row, without any PIN or tag", async () => {
  await world.addPooled("pooled-1", { tag: "https://verification.example.com/secret" });
  await collect();

  expect(world.log.fieldsOf("metrics-collected")).toEqual(rows()[0]);
  for (const secret of [hostPin, guestPin, "verification"])
    expect(JSON.stringify(world.log.lines)).not.toContain(secret);
});

test("collect writes zero counts, no oldest age and alarm level `none` for an empty platform", async () => {
  await collect();
  expect(Object.keys(rows()[0] ?? {})).toEqual(Object.keys(metricsColumns));
  expect(rows()[0]).toMatchObject({
    PlatformConnected: true,
    PoolDepth: 0,
    DeletionOldestSeconds: null,
    AvailableRooms: 0,
    UnaccountedRooms: 0,
    OutdatedRooms: 0,
    LiveConferences: 0,
    AlarmCount: 0,
    AlarmLevel: "none",
    AlarmNames: "",
    PoolMinimum: null,
  });
});

describe("UnaccountedRooms", () => {
  test("counts rooms marked as pooled beyond the depth of the pool", async () => {
    await world.addPooled("pooled-1");
    world.addRoom("lost-1");
    world.addRoom("lost-2");
    await collect();
    expect(rows()[0]).toMatchObject({ AvailableRooms: 3, UnaccountedRooms: 2 });
  });

  test("counts rooms assigned for more than a day without a running conference", async () => {
    world.addRoom("forgotten-1", assignedSince(24.1));
    world.addRoom("forgotten-2", assignedSince(100));
    world.addRoom("recent", assignedSince(24));
    world.addRoom("long-meeting", assignedSince(30));
    world.platform.startConference({ name: "long-meeting" });
    await collect();
    expect(rows()[0]).toMatchObject({ InUseRooms: 4, UnaccountedRooms: 2 });
  });

  test("does not count rooms that have been in the pool for days", async () => {
    const since = new Date(world.clock.now() - 100 * 3600 * 1000).toISOString();
    await world.addPooled("old", { description: formatMarker({ state: "pooled", since }) });
    await collect();
    expect(rows()[0]).toMatchObject({ AvailableRooms: 1, UnaccountedRooms: 0 });
  });

  test("counts an assigned room whose time cannot be parsed", async () => {
    world.addRoom("odd", { description: "vmr-gateway assigned yesterday m-1" });
    await collect();
    expect(rows()[0]).toMatchObject({ UnaccountedRooms: 1 });
  });

  test("is zero if the pool contains names of rooms that do not exist yet", async () => {
    await world.pool.put("coming");
    await collect();
    expect(rows()[0]).toMatchObject({ PoolDepth: 1, AvailableRooms: 0, UnaccountedRooms: 0 });
  });
});

describe("OutdatedRooms", () => {
  const since = "2026-01-01T00:00:00.000Z";
  const madeWith = (template: ConferenceFields, pin: string) => ({
    description: formatMarker({ state: "pooled", since, fingerprint: roomFingerprint(template, pin) }),
  });

  test("counts pooled rooms that were made with another template or PIN length, or have no fingerprint", async () => {
    await world.addPooled("current");
    await world.addPooled("other-template", madeWith({ participant_limit: 3 }, hostPin));
    await world.addPooled("other-pin-length", madeWith({}, `${hostPin}0`));
    await world.addPooled("older", { description: formatMarker({ state: "pooled", since }) });
    await collect();
    expect(rows()[0]).toMatchObject({ AvailableRooms: 4, OutdatedRooms: 3 });
  });

  test("does not count assigned rooms or rooms without a marker", async () => {
    world.addRoom("in-use", assignedSince(1));
    await world.addPooled("by-hand", { description: "by hand" });
    await collect();
    expect(rows()[0]).toMatchObject({ OutdatedRooms: 0 });
  });
});

describe("The log of unaccounted rooms", () => {
  const logged = (event: string) =>
    world.log.lines.filter((line) => line.event === event).map(({ level, fields }) => ({ level, ...fields }));

  test("names assigned rooms with reason and age, the oldest first, and counts pooled ones", async () => {
    world.addRoom("day-old", assignedSince(24.25));
    world.addRoom("odd", { description: "vmr-gateway assigned yesterday m-1" });
    world.addRoom("week-old", assignedSince(168));
    world.addRoom("recent", assignedSince(24));
    world.addRoom("lost-1");
    world.addRoom("lost-2");
    await collect();

    expect(logged("room-unaccounted")).toEqual([
      { level: "warn", room: "week-old", reason: "assigned-too-long", ageHours: 168 },
      { level: "warn", room: "day-old", reason: "assigned-too-long", ageHours: 24.2 },
      { level: "warn", room: "odd", reason: "assigned-at-unknown-time", ageHours: null },
    ]);
    expect(logged("rooms-unaccounted-unnamed")).toEqual([
      { level: "warn", count: 2, notListed: 0, beyondPool: 2 },
    ]);
    expect(rows()[0]).toMatchObject({ UnaccountedRooms: 5 });
  });

  test("has 100 lines at most, for the oldest rooms, and one with the number of the others", async () => {
    for (let index = 0; index < 103; index++) world.addRoom(`room-${index}`, assignedSince(200 - index));
    world.addRoom("lost");
    await collect();

    const names = logged("room-unaccounted").map((line) => Reflect.get(line, "room"));
    expect(names).toEqual(Array.from({ length: 100 }, (_, index) => `room-${index}`));
    expect(logged("rooms-unaccounted-unnamed")).toEqual([
      { level: "warn", count: 4, notListed: 3, beyondPool: 1 },
    ]);
  });

  test("has no line if every room is accounted for, or if the live conferences cannot be read", async () => {
    await world.addPooled("pooled-1");
    world.addRoom("live", assignedSince(48));
    world.platform.startConference({ name: "live" });
    await collect();
    world.platform.addFault({ kind: "status", status: 403, pathPattern: "/status/v1/" });
    await collect();

    expect(rows().map((row) => Reflect.get(Object(row), "UnaccountedRooms"))).toEqual([0, null]);
    expect(world.log.events().filter((event) => event.includes("unaccounted"))).toEqual([]);
  });
});

describe("a missing measurement", () => {
  test("of the platform is null, PlatformConnected is false, and the queues are counted", async () => {
    await world.addPooled("pooled-1");
    await world.platform.goDown("reset");
    await collect();

    expect(rows()[0]).toMatchObject({
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

  test("of the status API makes UnaccountedRooms null, and the rooms are counted", async () => {
    await world.addPooled("pooled-1");
    world.addRoom("forgotten", assignedSince(48));
    world.platform.addFault({ kind: "status", status: 403, pathPattern: "/status/v1/" });
    await collect();

    expect(rows()[0]).toMatchObject({
      PlatformConnected: true,
      AvailableRooms: 1,
      UnaccountedRooms: null,
      LiveConferences: null,
      AlarmCount: null,
    });
  });

  test("of the queues is null, and the platform is measured", async () => {
    await world.addPooled("pooled-1");
    world.pool.strikeNext("count", { failure: "unknown" });
    world.deletion.strikeNext("count", { failure: "unknown" });
    world.deletion.strikeNext("oldestAgeSeconds", { failure: "unknown" });
    world.provisioning.strikeNext("count", { failure: "unknown" });
    poison.strikeNext("count", { failure: "unknown" });
    await collect();

    expect(rows()[0]).toMatchObject({
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

describe("filling up to POOL_MINIMUM", () => {
  test("requests the rooms missing from pool and pending requests", async () => {
    await world.addPooled("pooled-1");
    await world.provisioning.put("{}");
    await collect({ minRooms: 4 });
    expect(world.provisioning.texts().slice(1)).toEqual(
      Array.from({ length: 2 }, () => JSON.stringify({ reason: "bulk", upTo: 4 })),
    );
    expect(world.log.fieldsOf("pool-refilled")).toEqual({ count: 2, level: 4 });
  });

  test("is logged even if a single room is missing", async () => {
    await world.addPooled("pooled-1");
    await collect({ minRooms: 2 });
    expect(world.log.fieldsOf("pool-refilled")).toEqual({ count: 1, level: 2 });
  });

  test("requests nothing if the pool is at its minimum or there is none", async () => {
    await world.addPooled("pooled-1");
    await collect({ minRooms: 1 });
    await collect();
    expect(world.provisioning.texts()).toEqual([]);
    expect(world.log.events()).toEqual(["metrics-collected", "metrics-collected"]);
  });

  test("happens even if the row cannot be written, and the run fails", async () => {
    workspace.failNext({ status: 400, count: 10 });
    await expect(collect({ minRooms: 1 })).rejects.toThrow("metrics run failed");
    expect(world.provisioning.texts()).toHaveLength(1);
    expect(world.log.fieldsOf("metrics-collected")).toMatchObject({ PoolMinimum: 1 });
  });

  test("makes the run fail if it fails, and the row is written", async () => {
    world.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(collect({ minRooms: 1 })).rejects.toThrow("metrics run failed");
    expect(rows()).toHaveLength(1);
  });
});

describe("Ending overdue rooms", () => {
  const overdue = () => assignedSince(2 + 1 / 60);

  test("happens even if the row cannot be written", async () => {
    world.addRoom("overdue", overdue());
    workspace.failNext({ status: 400, count: 10 });
    await expect(collect({ maxAgeHours: 2 })).rejects.toThrow("metrics run failed");
    expect(world.deletion.texts()).toEqual(["overdue"]);
  });

  test("makes the run fail if it fails, and the row is written", async () => {
    world.addRoom("overdue", overdue());
    world.deletion.strikeNext("put", { failure: "unknown" });
    await expect(collect({ maxAgeHours: 2 })).rejects.toThrow("metrics run failed");
    expect(rows()).toHaveLength(1);
    expect(world.log.events()).not.toContain("room-queued-for-deletion");
  });

  test.each(["/status/v1/conference/", "/configuration/v1/conference/"])(
    "does not happen if %s cannot be read",
    async (pathPattern) => {
      world.addRoom("overdue", overdue());
      world.platform.addFault({ kind: "status", status: 403, pathPattern });
      await collect({ maxAgeHours: 2 });
      expect(world.deletion.texts()).toEqual([]);
    },
  );

  test("does not happen if the depth of the deletion queue cannot be read", async () => {
    world.addRoom("overdue", overdue());
    world.deletion.strikeNext("count", { failure: "unknown" });
    await collect({ maxAgeHours: 2 });
    expect(world.deletion.texts()).toEqual([]);
  });
});
