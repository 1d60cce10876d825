/** The metrics row: every column, what is null when it cannot be measured, and the refill to the minimum. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LogWorkspace, startLogWorkspace } from "../../../local/simulators/log-workspace.ts";
import { createMetricsCollection } from "../../../src/lib/metrics/collection.ts";
import { createLogWorkspaceSink } from "../../../src/lib/metrics/log-workspace.ts";
import { metricsColumns } from "../../../src/lib/metrics/row.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
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

async function collect({ minRooms }: { minRooms?: number } = {}): Promise<void> {
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
  });
  await collection.collect(world.log);
}
const rows = () => workspace.rows().map(({ row }) => row);
const assignedSince = (hoursAgo: number) => {
  const since = new Date(world.clock.now() - hoursAgo * 3600_000).toISOString();
  return { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) };
};

test("a row has every column, measured", async () => {
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

test("the log has the same row, and neither PIN nor tag", async () => {
  await world.addPooled("pooled-1", { tag: "https://verification.example.com/secret" });
  await collect();

  expect(world.log.fieldsOf("metrics-collected")).toEqual(rows()[0]);
  for (const secret of [hostPin, guestPin, "verification"])
    expect(JSON.stringify(world.log.lines)).not.toContain(secret);
});

test("on an empty platform counts are 0, the oldest age is null and the alarm level none", async () => {
  await collect();
  expect(Object.keys(rows()[0] ?? {})).toEqual(Object.keys(metricsColumns));
  expect(rows()[0]).toMatchObject({
    PlatformConnected: true,
    PoolDepth: 0,
    DeletionOldestSeconds: null,
    AvailableRooms: 0,
    UnaccountedRooms: 0,
    LiveConferences: 0,
    AlarmCount: 0,
    AlarmLevel: "none",
    AlarmNames: "",
    PoolMinimum: null,
  });
});

describe("unaccounted rooms", () => {
  test("are those marked pooled beyond the depth of the pool", async () => {
    await world.addPooled("pooled-1");
    world.addRoom("lost-1");
    world.addRoom("lost-2");
    await collect();
    expect(rows()[0]).toMatchObject({ AvailableRooms: 3, UnaccountedRooms: 2 });
  });

  test("are those assigned for more than a day without a live conference", async () => {
    world.addRoom("forgotten-1", assignedSince(24.1));
    world.addRoom("forgotten-2", assignedSince(100));
    world.addRoom("recent", assignedSince(24));
    world.addRoom("long-meeting", assignedSince(30));
    world.platform.startConference({ name: "long-meeting" });
    await collect();
    expect(rows()[0]).toMatchObject({ InUseRooms: 4, UnaccountedRooms: 2 });
  });

  test("are not those that have waited in the pool for days", async () => {
    const since = new Date(world.clock.now() - 100 * 3600 * 1000).toISOString();
    await world.addPooled("old", { description: formatMarker({ state: "pooled", since }) });
    await collect();
    expect(rows()[0]).toMatchObject({ AvailableRooms: 1, UnaccountedRooms: 0 });
  });

  test("are those assigned at a time that cannot be read", async () => {
    world.addRoom("odd", { description: "vmr-gateway assigned yesterday m-1" });
    await collect();
    expect(rows()[0]).toMatchObject({ UnaccountedRooms: 1 });
  });

  test("are not fewer than none when names wait in the pool before their room exists", async () => {
    await world.pool.put("coming");
    await collect();
    expect(rows()[0]).toMatchObject({ PoolDepth: 1, AvailableRooms: 0, UnaccountedRooms: 0 });
  });
});

describe("what cannot be measured", () => {
  test("of the platform is null, with PlatformConnected false; the queues are still counted", async () => {
    await world.addPooled("pooled-1");
    await world.platform.goDown("reset");
    await collect();

    expect(rows()[0]).toMatchObject({
      PlatformConnected: false,
      PoolDepth: 1,
      AvailableRooms: null,
      InUseRooms: null,
      UnaccountedRooms: null,
      LiveConferences: null,
      AlarmCount: null,
      AlarmLevel: null,
      AlarmNames: null,
    });
    expect(world.log.events()).toContain("measurement-failed");
  });

  test("of the status API alone leaves the rooms counted, but not who is forgotten", async () => {
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

  test("of the queues is null, the platform's columns stay", async () => {
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

describe("the refill to POOL_MINIMUM", () => {
  test("asks for what pool and waiting requests lack", async () => {
    await world.addPooled("pooled-1");
    await world.provisioning.put("{}");
    await collect({ minRooms: 4 });
    expect(world.provisioning.texts().slice(1)).toEqual(
      Array.from({ length: 2 }, () => JSON.stringify({ reason: "bulk", upTo: 4 })),
    );
    expect(world.log.fieldsOf("pool-refilled")).toEqual({ count: 2, level: 4 });
  });

  test("is logged when a single room is lacking, too", async () => {
    await world.addPooled("pooled-1");
    await collect({ minRooms: 2 });
    expect(world.log.fieldsOf("pool-refilled")).toEqual({ count: 1, level: 2 });
  });

  test("asks for nothing while the level is held, or when there is no minimum", async () => {
    await world.addPooled("pooled-1");
    await collect({ minRooms: 1 });
    await collect();
    expect(world.provisioning.texts()).toEqual([]);
    expect(world.log.events()).toEqual(["metrics-collected", "metrics-collected"]);
  });

  test("happens although the workspace is down, and the run fails", async () => {
    workspace.failNext({ status: 400, count: 10 });
    await expect(collect({ minRooms: 1 })).rejects.toThrow("metrics run failed");
    expect(world.provisioning.texts()).toHaveLength(1);
    expect(world.log.fieldsOf("metrics-collected")).toMatchObject({ PoolMinimum: 1 });
  });

  test("that fails fails the run, and the row is written all the same", async () => {
    world.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(collect({ minRooms: 1 })).rejects.toThrow("metrics run failed");
    expect(rows()).toHaveLength(1);
  });
});
