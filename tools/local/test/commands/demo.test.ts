/** `npm run demo`: it passes on a gateway that is right, and fails on one that is not. */
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Change, startForwardingServer } from "../../../../test/support/forwarding-server.ts";
import { runScript, temporaryFolder } from "../../../../test/support/script-process.ts";
import { type Connection, findRunningGateway, writeConnection } from "../../stack/connection.ts";
import { startLocalGateway } from "../../stack/local-gateway.ts";
import { maxPeeked, openQueueContents } from "../../stack/queue-contents.ts";

vi.setConfig({ testTimeout: 90_000 });

async function runningGateway(): Promise<Connection> {
  const gateway = await startLocalGateway({ settings: { GC_MINIMUM_AGE_SECONDS: "3", MAX_VMR: "5" } });
  onTestFinished(() => gateway.stop());
  return gateway.connection;
}

async function demonstrate(connection: Connection): Promise<{ code: unknown; output: string }> {
  const path = join(await temporaryFolder(), "connection.json");
  await writeConnection(path, connection);
  const { exited, output } = runScript("tools/local/commands/demo.ts", "--connection-file", path);
  return { code: await exited, output: output() };
}

test("npm run demo starts a gateway if none is running, prints every step and passes", async () => {
  const none = join(await temporaryFolder(), "connection.json");
  const { exited, output, errors } = runScript("tools/local/commands/demo.ts", "--connection-file", none);
  expect(await exited).toBe(0);
  expect(output()).toContain("No gateway is running. Starting one ...");
  expect(output()).toMatch(/13 steps, 4\d checks, 0 failed/);
  expect(output()).toContain("POST /room/bulk/?max_vmr=10\n     202 in ");
  expect(output()).not.toMatch(/[\u001B\r]/);
  expect(errors()).toBe("");
});

test("npm run demo passes on a running gateway and refills its pool", async () => {
  const connection = await runningGateway();
  const { code, output } = await demonstrate(connection);
  expect(output).toContain(`Using the gateway at ${connection.gatewayUrl}`);
  expect(output).toMatch(/14 steps, 4\d checks, 0 failed/);
  expect(code).toBe(0);
  const ready = (await openQueueContents(connection.storageConnectionString).peek("pool")).length;
  expect(ready).toBeGreaterThanOrEqual(5);
  expect(ready).toBeLessThan(maxPeeked);
});

const faults: [string, Change, string[]][] = [
  [
    "a host PIN in the answer of a create",
    (reply, { url }) =>
      url.pathname === "/room/create" && reply.status === 200
        ? { ...reply, body: String(reply.body).replace("{", '{"pin":"246810",') }
        : reply,
    ["FAIL 200 in the constrained shape, without the host PIN", "FAIL the demonstration runs to its end"],
  ],
  [
    "a public read that asks for no token",
    (reply, { url }) => (url.pathname.startsWith("/public/room/") ? { ...reply, status: 200 } : reply),
    ["FAIL no token: 401", "FAIL a user of another division: 403"],
  ],
];

test.each(faults)("npm run demo fails on %s", async (_, change, failures) => {
  const connection = await runningGateway();
  const { url: gatewayUrl } = await startForwardingServer(connection.gatewayUrl, change);
  const { code, output } = await demonstrate({ ...connection, gatewayUrl });
  for (const failure of failures) expect(output).toContain(failure);
  expect(code).toBe(1);
});

test("findRunningGateway finds a gateway beside one that has ended, and ignores an invalid file", async () => {
  const path = join(await temporaryFolder(), "connection.json");
  expect(await findRunningGateway(path)).toBeUndefined();
  const gateway = await startLocalGateway();
  await writeConnection(path, gateway.connection);
  expect(await findRunningGateway(path)).toEqual(gateway.connection);

  const folder = dirname(path);
  await writeConnection(join(folder, "ended.json"), {
    ...gateway.connection,
    gatewayUrl: "http://127.0.0.1:1",
  });
  expect(await findRunningGateway(undefined, folder)).toEqual(gateway.connection);
  await gateway.stop();
  expect(await findRunningGateway(undefined, folder)).toBeUndefined();
  expect(await findRunningGateway(path)).toBeUndefined();
  await writeConnection(path, { ...gateway.connection, gatewayUrl: "no address" });
  expect(await findRunningGateway(path)).toBeUndefined();
});
