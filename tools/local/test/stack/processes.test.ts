/** The local environment hands out rooms if each part is a separate process. */
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { untilGone } from "../../../../test/support/script-process.ts";
import { startChild } from "../../process/child.ts";
import { createSeededRandom } from "../../process/seeded-random.ts";
import { gatewaySettings } from "../../stack/gateway-settings.ts";
import { startGatewayProcess, startSimulatorProcesses } from "../../stack/processes.ts";
import { openQueueContents } from "../../stack/queue-contents.ts";

test("The gateway process fills the pool and hands a room to the token's owner", {
  timeout: 60_000,
}, async () => {
  const simulators = await startSimulatorProcesses({ requestLimitPerMinute: null });
  onTestFinished(simulators.stop);
  const settings = { ...gatewaySettings(simulators.surroundings), POOL_READY_DELAY_SECONDS: "1" };
  const gateway = await startGatewayProcess({ entry: "src/main.ts", settings, pollSeconds: 0.2 });
  onTestFinished(gateway.kill);
  const headers = { authorization: `Bearer ${simulators.accessToken}` };
  const send = async (path: string) =>
    (await fetch(`${gateway.addresses.url}${path}`, { method: "POST", headers })).status;
  const queues = openQueueContents(simulators.surroundings.connectionString);
  expect(await queues.depth("pool")).toBe(0);
  expect(await queues.peek("poison")).toEqual([]);

  expect(await send("/room/bulk/?max_vmr=2")).toBe(202);
  await queues.untilProvisioned();
  expect(await queues.depth("pool")).toBe(2);
  await expect.poll(async () => send("/room/create"), { timeout: 5000 }).toBe(200);
  await gateway.stop();
  await simulators.stop();
  await untilGone([
    gateway.addresses.appProcessId,
    simulators.storageProcessId,
    simulators.platformProcessId,
  ]);
});

test("An app that refuses its settings is reported, and its process is ended", async () => {
  await expect(startGatewayProcess({ entry: "src/main.ts", settings: {} })).rejects.toThrow(
    "src/main.ts could not be loaded",
  );
});

test("A script that ends before it prints its URLs is reported", async () => {
  const script = "tools/local/commands/run-host.ts";
  await expect(startChild({ script, addressesSchema: z.unknown() })).rejects.toThrow(
    "tools/local/commands/run-host.ts ended before it was ready",
  );
});

test("A seeded generator repeats its numbers and stays within bounds", () => {
  const draw = () => {
    const random = createSeededRandom(7);
    return Array.from({ length: 200 }, () => [
      random.between(3, 5),
      random.integerBelow(4),
      random.pick(["a", "b"]),
    ]);
  };
  expect(draw()).toEqual(draw());
  expect(new Set(draw().map(([, integer]) => integer))).toEqual(new Set([0, 1, 2, 3]));
  expect(draw().every(([between]) => Number(between) >= 3 && Number(between) < 5)).toBe(true);
  expect(createSeededRandom(8).bytes(4)).toHaveLength(4);
});
