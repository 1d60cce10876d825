/** `npm run demo` passes on a correct gateway and fails on a faulty one. */
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startForwardingServer } from "../../../../test/support/forwarding-server.ts";
import { runScript, temporaryFolder } from "../../../../test/support/script-process.ts";
import { findRunningGateway, writeConnection } from "../../stack/connection.ts";
import { startLocalGateway } from "../../stack/local-gateway.ts";
import { openQueueContents } from "../../stack/queue-contents.ts";

vi.setConfig({ testTimeout: 180_000 });

async function demonstrate(connectionFile: string) {
  const script = runScript("tools/local/commands/demo.ts", "--connection-file", connectionFile);
  return { code: await script.exited, output: script.output(), errors: script.errors() };
}

test("npm run demo starts a gateway if none is running, prints every step and passes", async () => {
  const { code, output, errors } = await demonstrate(join(await temporaryFolder(), "none.json"));
  expect(output).toContain("No gateway is running. Starting one ...");
  expect(output).toMatch(/13 steps, 4\d checks, 0 failed/);
  expect(output).toContain("POST /room/bulk/?max_vmr=10\n     202 in ");
  expect(output).not.toMatch(/[\u001B\r]/);
  expect([code, errors]).toEqual([0, ""]);
});

test("npm run demo fails on a running gateway that lets anybody read a room, and refills its pool", async () => {
  const gateway = await startLocalGateway({ settings: { GC_MINIMUM_AGE_SECONDS: "3", MAX_VMR: "5" } });
  onTestFinished(() => gateway.stop());
  const { connection } = gateway;
  const path = join(await temporaryFolder(), "connection.json");
  await writeConnection(path, connection);
  expect(await findRunningGateway(path)).toEqual(connection);
  const { url } = await startForwardingServer(connection.gatewayUrl, (reply, request) =>
    request.url.pathname.startsWith("/public/room/") ? { ...reply, status: 200 } : reply,
  );
  await writeConnection(path, { ...connection, gatewayUrl: url });
  const { code, output } = await demonstrate(path);
  expect(output).toContain(`Using the gateway at ${url}`);
  expect(output).toContain("FAIL no token: 401");
  expect(output).toContain("FAIL a user of another division: 403");
  expect(output).toMatch(/14 steps, 4\d checks, 2 failed/);
  expect(code).toBe(1);
  expect((await openQueueContents(connection.storageConnectionString).peek("pool")).length).toBeGreaterThan(
    4,
  );
});
