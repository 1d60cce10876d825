/** A metrics run: its complete row, and filling the pool up to its minimum. */
import { expect, test } from "vitest";
import { createMemoryGateway } from "../../../tools/simulators/memory/gateway.ts";
import { formatMarker, gatewayName } from "../../support/markers.ts";
import { guestPin, hostPin, maxLevel, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

test("`collect` writes and logs one row with every column measured, and no PIN or tag", async () => {
  await world.addPooled("pooled-1", { tag: "https://verification.example.com/secret" });
  await world.addPooled("pooled-2");
  const since = new Date(world.clock.now()).toISOString();
  world.addRoom("in-use", { description: formatMarker({ state: "assigned", since }) });
  world.addRoom("theirs", { description: "by hand" });
  // The oldest message is not the first: a postponed one has become visible again.
  for (const name of ["ended-later", "ended-last", "ended-now"]) await world.deletion.put(name);
  world.clock.advance(-89.6);
  await world.deletion.put("ended");
  world.clock.advance(89.6);
  await world.deletion.receive(1, 60);
  await world.provisioning.put("{}");
  for (const failed of ["1", "2", "3"]) await world.poison.put(failed);
  for (const name of ["in-use", "theirs"]) world.platform.startConference({ name });
  world.platform.raiseAlarm({ name: "node_offline", level: "warning" });
  world.platform.raiseAlarm({ name: "licence_expired", level: "Critical" });
  world.platform.raiseAlarm({ name: "node_offline", level: "warning", node: "10.0.0.22" });

  const row = await world.collectMetrics({ POOL_MINIMUM: "0" });
  expect(row).toEqual({
    TimeGenerated: new Date(world.clock.now()).toISOString(),
    RunId: "run-1",
    InstanceId: "instance-1",
    Version: "1.0.0",
    PlatformConnected: true,
    PoolDepth: 2,
    DeletionDepth: 4,
    DeletionOldestSeconds: 90,
    ProvisioningDepth: 1,
    PoisonDepth: 3,
    AvailableRooms: 2,
    InUseRooms: 1,
    UnaccountedRooms: 0,
    OutdatedRooms: 0,
    LiveConferences: 2,
    AlarmCount: 3,
    AlarmLevel: "Critical",
    AlarmNames: "licence_expired,node_offline",
    MaximumRooms: maxLevel,
    PoolMinimum: 0,
  });
  expect(world.log.fieldsOf("metrics-collected")).toEqual({ ...row, gateway: gatewayName });
  for (const secret of [hostPin, guestPin, "verification"])
    expect(JSON.stringify(world.log.lines)).not.toContain(secret);
});

test("A run logs why the app's token could not be renewed, although the old one is valid", async () => {
  const cause = new Error("no identity");
  const { dependencies } = createMemoryGateway(world, { adapters: { tokenFailure: () => cause } });
  await dependencies.metricsRun(world.log);
  expect(world.log.lines).toContainEqual({ level: "error", event: "token-not-renewed", fields: {}, cause });
});

test.each([
  ["4", 1, 2],
  ["2", 0, 1],
  ["1", 0, 0],
  ["", 0, 0],
])(
  "With POOL_MINIMUM=%s, a pooled room and %i requested ones, the run requests %i",
  async (minimum, requested, count) => {
    await world.addPooled("pooled-1");
    for (let index = 0; index < requested; index++) await world.provisioning.put("{}");
    await world.collectMetrics({ POOL_MINIMUM: minimum });
    const upTo = Number(minimum);
    expect(world.requests().slice(requested)).toEqual(Array(count).fill({ reason: "bulk", upTo }));
    expect(world.log.fieldsOf("pool-refilled")).toEqual(count > 0 ? { count, level: upTo } : undefined);
  },
);

test("The run fails if the row cannot be written, but fills the pool up", async () => {
  const sink = async () => Promise.reject(new Error("the row cannot be written"));
  await expect(world.collectMetrics({ POOL_MINIMUM: "1" }, sink)).rejects.toThrow("metrics run failed");
  expect(world.provisioning.texts()).toHaveLength(1);
  expect(world.log.events()).toEqual(["metrics-collected", "pool-refilled", "metrics-run-failed"]);
  expect(world.log.fieldsOf("metrics-collected")).toMatchObject({ PoolMinimum: 1 });
});

test("The run fails if a request cannot be stored, but writes the row", async () => {
  world.provisioning.strikeNext("put", { failure: "unknown" });
  await expect(world.collectMetrics({ POOL_MINIMUM: "1" })).rejects.toThrow("metrics run failed");
  expect(world.rows).toHaveLength(1);
});
