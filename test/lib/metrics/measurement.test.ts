/** The measured columns of the metrics row: connection, alarms, room counts and ages. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMetricsCollection } from "../../../src/lib/metrics/collection.ts";
import type { MetricsRow } from "../../../src/lib/metrics/row.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { roomFingerprint } from "../../../src/lib/rooms/room-fingerprint.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { hostPin, maxRooms, type PoolWorld, startPoolWorld } from "../../support/pool-world.ts";

let world: PoolWorld;
beforeEach(async () => {
  world = await startPoolWorld();
});
afterEach(async () => world.stop());

async function collect(): Promise<MetricsRow | undefined> {
  const rows: MetricsRow[] = [];
  const { pool, deletion, provisioning, clock } = world;
  await createMetricsCollection({
    ...world,
    queues: { pool, deletion, provisioning, poison: createMemoryQueue(clock) },
    status: createPlatformStatus(world.client),
    sink: async (row) => void rows.push(row),
    newId: () => "run-1",
    instanceId: "instance-1",
    version: "1.0.0",
    maxRooms,
    minRooms: undefined,
    overdueRooms: undefined,
    fingerprint: roomFingerprint({}, hostPin),
  }).collect(world.log);
  return rows[0];
}

describe("PlatformConnected", () => {
  const conferencesOfConfiguration = "/configuration/v1/conference/";
  const liveConferences = "/status/v1/conference/";
  const alarms = "/status/v1/alarm/";
  test.each([
    ["true if only the alarms can be read", [conferencesOfConfiguration, liveConferences], true],
    ["true if only the running conferences can be read", [conferencesOfConfiguration, alarms], true],
    ["true if only the rooms can be read", [liveConferences, alarms], true],
    ["false if nothing can be read", [conferencesOfConfiguration, liveConferences, alarms], false],
  ])("is %s", async (_, failing, isConnected) => {
    for (const pathPattern of failing) world.platform.addFault({ kind: "status", status: 503, pathPattern });
    expect(await collect()).toMatchObject({ PlatformConnected: isConnected });
  });
});

test.each([
  ["info", "unknown"],
  ["warning", "info"],
  ["minor", "warning"],
  ["major", "minor"],
  ["error", "major"],
  ["critical", "error"],
  ["unknown", "a future level"],
])("AlarmLevel is %s if the other level is %s", async (worse, lesser) => {
  world.platform.raiseAlarm({ name: "one", level: lesser });
  world.platform.raiseAlarm({ name: "two", level: worse });
  world.platform.raiseAlarm({ name: "three", level: lesser });
  expect(await collect()).toMatchObject({ AlarmCount: 3, AlarmLevel: worse });
});

test("AlarmNames is cut off after 1,000 characters", async () => {
  for (let index = 100; index < 300; index++) world.platform.raiseAlarm({ name: `alarm_${index}` });
  const row = await collect();
  expect(row?.AlarmCount).toBe(200);
  expect(row?.AlarmNames).toHaveLength(1000);
  expect(row?.AlarmNames).toMatch(/^alarm_100,alarm_101,/);
});

test("a room is counted by its marker, whatever its service type", async () => {
  const description = formatMarker({ state: "pooled", since: "2026-01-15T09:00:00.000Z" });
  world.addRoom("lecture", { service_type: "lecture", description });
  expect(await collect()).toMatchObject({ AvailableRooms: 1, InUseRooms: 0, UnaccountedRooms: 1 });
});

test.each([
  [0, 0],
  [90.4, 90],
  [90.6, 91],
])("DeletionOldestSeconds of %d seconds is rounded to %i", async (seconds, written) => {
  await world.deletion.put("ended");
  world.clock.advance(seconds);
  expect(await collect()).toMatchObject({ DeletionOldestSeconds: written });
});
