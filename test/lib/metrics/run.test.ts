/** A metrics run: its complete row, and filling the pool up to its minimum. */
import { describe, expect, test } from "vitest";
import { formatMarker, gatewayName } from "../../support/markers.ts";
import { guestPin, hostPin, maxRooms, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const sink = async () => Promise.reject(new Error("the row cannot be written"));

test("collect writes and logs one row with every column measured, and no PIN or tag", async () => {
  await world.addPooled("pooled-1", { tag: "https://verification.example.com/secret" });
  await world.addPooled("pooled-2");
  const since = new Date(world.clock.now()).toISOString();
  world.addRoom("in-use", { description: formatMarker({ state: "assigned", since }) });
  world.addRoom("theirs", { description: "by hand" });
  await world.deletion.put("ended");
  world.clock.advance(89.6);
  await world.deletion.put("ended-later");
  await world.provisioning.put("{}");
  await world.poison.put("{}");
  world.platform.startConference({ name: "in-use" });
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
  });
  const fingerprint: unknown = expect.stringMatching(/^[0-9a-f]{8}$/);
  expect(world.log.fieldsOf("metrics-collected")).toEqual({ ...row, fingerprint, gateway: gatewayName });
  for (const secret of [hostPin, guestPin, "verification"])
    expect(JSON.stringify(world.log.lines)).not.toContain(secret);
});

describe("Filling up to POOL_MINIMUM", () => {
  test.each([
    [4, 1, 2],
    [2, 0, 1],
  ])("requests the rooms missing from %i with %i requested: %i", async (minRooms, requested, missing) => {
    await world.addPooled("pooled-1");
    for (let count = 0; count < requested; count++) await world.provisioning.put("{}");
    await world.collectMetrics({ POOL_MINIMUM: String(minRooms) });
    const request = { reason: "bulk", upTo: minRooms };
    expect(world.requests().slice(requested)).toEqual(Array(missing).fill(request));
    expect(world.log.fieldsOf("pool-refilled")).toEqual({ count: missing, level: minRooms });
  });

  test("requests nothing if the pool is at its minimum, or if there is no minimum", async () => {
    await world.addPooled("pooled-1");
    await world.collectMetrics({ POOL_MINIMUM: "1" });
    await world.collectMetrics();
    expect(world.provisioning.texts()).toEqual([]);
    expect(world.log.events()).toEqual(["metrics-collected", "metrics-collected"]);
  });

  test("happens even if the row cannot be written, and the run fails", async () => {
    await expect(world.collectMetrics({ POOL_MINIMUM: "1" }, sink)).rejects.toThrow("metrics run failed");
    expect(world.provisioning.texts()).toHaveLength(1);
    expect(world.log.events()).toEqual(["metrics-collected", "pool-refilled", "metrics-run-failed"]);
    expect(world.log.fieldsOf("metrics-collected")).toMatchObject({ PoolMinimum: 1 });
  });

  test("fails the run, but only after the row was written, if a request cannot be stored", async () => {
    world.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(world.collectMetrics({ POOL_MINIMUM: "1" })).rejects.toThrow("metrics run failed");
    expect(world.rows).toHaveLength(1);
  });
});
