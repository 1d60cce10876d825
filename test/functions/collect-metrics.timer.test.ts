/** The metrics timer: its schedule and the row it writes. */
import { expect, test } from "vitest";
import { collectMetrics } from "../../src/functions/collect-metrics.timer.ts";
import { aTimer } from "../../tools/simulators/memory/functions.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { registeredTimer } from "../support/registered-trigger.ts";

const gateway = useInProcessGateway();

const timer = () => registeredTimer(collectMetrics, gateway.dependencies());
const run = async () => timer().handler(aTimer, gateway.createContext("collectMetrics"));
const lastRow = () => gateway.stack.logWorkspace.rows().at(-1)?.row;

test("Runs every 5 minutes and on startup", () => {
  const { schedule, runOnStartup } = timer();
  expect({ schedule, runOnStartup }).toEqual({ schedule: "0 */5 * * * *", runOnStartup: true });
});

test("Writes one row with queue depths, rooms, alarms and connectivity", async () => {
  await gateway.poolRoom("a-room");
  const description = `vmr-gateway vmr-gateway assigned ${new Date().toISOString()} some-message`;
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
    AvailableRooms: 1,
    InUseRooms: 1,
    AlarmNames: "node_down",
    MaximumRooms: 50,
  });
});
