/** The simulators as separate processes: each prints one line with its addresses and ends when asked or orphaned. */
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { type Child, startChild } from "../../process/child.ts";

const addressesSchema = z.record(z.string(), z.string());

async function run(script: string, options?: object): Promise<Child<Record<string, string>>> {
  const args = options === undefined ? [] : [JSON.stringify(options)];
  const child = await startChild({ script: `tools/local/commands/${script}`, addressesSchema, args });
  onTestFinished(child.kill);
  return child;
}

const stops: [string, (child: Child<unknown>) => unknown][] = [
  ["SIGTERM", (child) => child.process.kill("SIGTERM")],
  ["SIGINT", (child) => child.process.kill("SIGINT")],
  ["closed standard input", (child) => child.process.stdin?.end()],
];

test.each(stops)("run-platform follows its options and ends on %s", async (_, stop) => {
  const child = await run("run-platform.ts", { username: "u", password: "p", minPinLength: 4 });
  const { url, controlUrl } = child.addresses;
  const authorization = `Basic ${Buffer.from("u:p").toString("base64")}`;
  const created = await fetch(`${url}/api/admin/configuration/v1/conference/`, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify({ name: "a", pin: "1234" }),
  });
  expect(created.status).toBe(201);
  expect((await fetch(`${controlUrl}/control/rooms`)).status).toBe(200);
  stop(child);
  expect(await child.exited).toBe(0);
});

test("run-identity starts token issuer, contact centre and log workspace", async () => {
  const child = await run("run-identity.ts");
  const { authorityUrl, contactCentreUrl, logWorkspaceUrl } = child.addresses;
  expect((await fetch(`${authorityUrl}/control/state`)).status).toBe(200);
  expect((await fetch(`${contactCentreUrl}/api/v2/users/me`)).status).toBe(401);
  expect((await fetch(`${logWorkspaceUrl}/control/rows`)).status).toBe(200);
  child.process.stdin?.end();
  expect(await child.exited).toBe(0);
});

test("run-azurite serves queues until its standard input closes", async () => {
  const child = await run("run-azurite.ts");
  const { connectionString, queueServiceUrl } = child.addresses;
  expect(connectionString).toContain(`QueueEndpoint=${queueServiceUrl}`);
  expect((await fetch(`${queueServiceUrl}?comp=list`)).headers.get("server")).toMatch(/^Azurite-Queue/);
  child.process.stdin?.end();
  expect(await child.exited).toBe(0);
});
