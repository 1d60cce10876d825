/** The garbage-collection timer: its schedule, its success, and failures that reach the host. */
import { expect, test } from "vitest";
import { collectGarbage } from "../../src/functions/collect-garbage.timer.ts";
import { aTimer } from "../../tools/simulators/memory/functions.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { registeredTimer } from "../support/registered-trigger.ts";

const gateway = useInProcessGateway();

const run = async () =>
  registeredTimer(collectGarbage, gateway.connect({ GC_MINIMUM_AGE_SECONDS: "0" })).handler(
    aTimer,
    gateway.createContext("collectGarbage"),
  );

test("Runs every 10 minutes and not on startup", () => {
  const { schedule, runOnStartup } = registeredTimer(collectGarbage, gateway.dependencies());
  expect({ schedule, runOnStartup }).toEqual({ schedule: "0 */10 * * * *", runOnStartup: false });
});

test("Fails if one room cannot be deleted, and deletes the others", async () => {
  await gateway.queues.deletion.put(gateway.assignedRoom("a-room"));
  await gateway.queues.deletion.put(gateway.assignedRoom("b-room"));
  const id = String(gateway.room("a-room")?.["id"]);
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "DELETE", pathPattern: `/${id}/$` });
  await expect(run()).rejects.toThrow("1 rooms could not be collected");
  expect(gateway.room("b-room")).toBeUndefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(gateway.log.join("\n")).toContain("run-failed");
});
