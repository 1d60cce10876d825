/** `npm run demo` checks every operation of a running gateway, and finds faults. */
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startForwardingServer } from "../../../../test/support/forwarding-server.ts";
import { runScript, temporaryFolder } from "../../../../test/support/script-process.ts";
import { writeConnection } from "../../stack/connection.ts";
import { startLocalGateway } from "../../stack/local-gateway.ts";
import { openQueueContents } from "../../stack/queue-contents.ts";

vi.setConfig({ testTimeout: 180_000 });

test("npm run demo passes but for what a gateway that lets anybody read a room gets wrong, and refills its pool", async () => {
  const gateway = await startLocalGateway({ settings: { GC_MINIMUM_AGE_SECONDS: "3", MAX_VMR: "5" } });
  onTestFinished(() => gateway.stop());
  const { connection } = gateway;
  const { url } = await startForwardingServer(connection.gatewayUrl, (reply, request) =>
    request.url.pathname.startsWith("/public/room/") ? { ...reply, status: 200 } : reply,
  );
  const path = join(await temporaryFolder(), "connection.json");
  await writeConnection(path, { ...connection, gatewayUrl: url });
  const { exited, output, errors } = runScript("tools/local/commands/demo.ts", "--connection-file", path);
  expect(await exited).toBe(1);
  expect(output()).toContain(`Using the gateway at ${url}`);
  expect(output().match(/FAIL no token: 401; got: 200$/gm)).toHaveLength(1);
  expect(output().match(/FAIL a user of another division: 403; got: 200$/gm)).toHaveLength(1);
  expect(output()).toMatch(/14 steps, 42 checks, 2 failed/);
  expect(output()).toContain("POST /room/bulk/?max_vmr=10\n     202 in ");
  expect(output()).not.toMatch(/[\u001B\r]/);
  expect(errors()).toBe("");
  const { length } = await openQueueContents(connection.storageConnectionString).peek("pool");
  expect(length).toBeGreaterThan(4);
});
