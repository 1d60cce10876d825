/** The metrics timer: its schedule, the row it writes, and that failures reach the host. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { collectMetrics } from "../../src/functions/collect-metrics.timer.ts";
import { type InProcessGateway, startInProcessGateway, storageDown } from "../support/in-process-gateway.ts";
import { aTimer, registeredTimer } from "../support/registered-trigger.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const run = async (overrides: Record<string, string> = {}) =>
  registeredTimer(collectMetrics, gateway.connect(overrides)).handler(
    aTimer,
    gateway.createContext("collectMetrics"),
  );
const lastRow = () => gateway.stack.logWorkspace.rows().at(-1)?.row;

test("every 5 minutes, and on startup", () => {
  const { schedule, runOnStartup } = registeredTimer(collectMetrics, gateway.dependencies());
  expect({ schedule, runOnStartup }).toEqual({ schedule: "0 */5 * * * *", runOnStartup: true });
});

test("success: one row with depths, rooms, alarms and connectivity", async () => {
  await gateway.poolRoom("a-room");
  const description = `vmr-gateway assigned ${new Date().toISOString()} some-message`;
  gateway.addRoom("b-room", { description });
  await gateway.queues.deletion.put("c-room");
  gateway.stack.platform.raiseAlarm({ name: "node_down", level: "critical" });
  const before = gateway.stack.logWorkspace.rows().length;
  await run();
  expect(gateway.stack.logWorkspace.rows()).toHaveLength(before + 1);
  expect(lastRow()).toMatchObject({
    PlatformConnected: true,
    PoolDepth: 1,
    DeletionDepth: 1,
    ProvisioningDepth: 0,
    PoisonDepth: 0,
    AvailableRooms: 1,
    InUseRooms: 1,
    UnaccountedRooms: 0,
    LiveConferences: 0,
    AlarmCount: 1,
    AlarmLevel: "critical",
    AlarmNames: "node_down",
    MaximumRooms: 50,
  });
});

test("success: a platform that is down is a row, not a missing one", async () => {
  await gateway.stack.platform.goDown("refuse");
  await run();
  expect(lastRow()).toMatchObject({
    PlatformConnected: false,
    AvailableRooms: null,
    AlarmCount: null,
    PoolDepth: 0,
  });
});

test("success: queues that cannot be reached are unknown counts", async () => {
  await run(storageDown(gateway.stack.settings));
  expect(lastRow()).toMatchObject({ PlatformConnected: true, PoolDepth: null, ProvisioningDepth: null });
});

test("success: POOL_MINIMUM asks for what is missing", async () => {
  await gateway.queues.pool.put("a-room");
  await run({ POOL_MINIMUM: "4" });
  expect(await gateway.queues.provisioning.count()).toBe(3);
});

test("failure: the workspace refuses the row", async () => {
  gateway.stack.logWorkspace.failNext({ status: 403, count: 10 });
  await expect(run()).rejects.toThrow("metrics run failed");
  expect(gateway.log.join("\n")).toContain("metrics-run-failed");
});
