/** `npm start -- --no-app`: an app works with the settings file that it writes, and no file of the user is lost. */
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  childrenOf,
  projectFolder,
  runScriptIn,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { connectionFolder, findStartedGateways } from "../../../simulators/connection.ts";
import { startFunctionsHost } from "../../../simulators/host/functions-host.ts";
import { fetchAccessToken } from "../../stack/access-token.ts";
import { openQueueContents } from "../../stack/queue-contents.ts";

vi.setConfig({ testTimeout: 180_000 });

const settingsSchema = z.strictObject({
  IsEncrypted: z.literal(false),
  Values: z.record(z.string(), z.string()),
  Host: z.strictObject({ LocalHttpPort: z.int().min(1) }),
});
const command = ["tools/local/commands/start.ts", "--no-app"] as const;

test("The settings that npm start -- --no-app writes make an app the gateway that it expects, with all services of Azurite", async () => {
  const folder = await temporaryFolder();
  const settings = join(folder, "local.settings.json");
  const { child, output, printed, end } = runScriptIn(folder, ...command, "--set", "MAX_VMR=7");
  await printed("Run `npm run build");
  expect(await childrenOf(child.pid)).toEqual([]);
  const { Values, Host } = settingsSchema.parse(JSON.parse(await readFile(settings, "utf8")));
  const GATEWAY_NAME = `local-${child.pid}`;
  expect(Values).toMatchObject({ FUNCTIONS_WORKER_RUNTIME: "node", MAX_VMR: "7", GATEWAY_NAME });
  for (const name of ["Blob", "Queue", "Table"]) {
    const [, url] = new RegExp(`${name}Endpoint=([^;]+)`).exec(Values["AzureWebJobsStorage"] ?? "") ?? [];
    expect((await fetch(`${url}?comp=list`)).headers.get("server")).toMatch(new RegExp(`^Azurite-${name}`));
  }
  const host = await startFunctionsHost({
    entry: `${projectFolder}src/main.ts`,
    environment: Values,
  });
  onTestFinished(() => host.stop());
  const [connection] = await findStartedGateways(join(folder, connectionFolder));
  if (!connection) throw new Error("no connection");
  // The host listens elsewhere, because something else could have taken the port meanwhile.
  expect(connection.gatewayUrl).toBe(`http://127.0.0.1:${Host.LocalHttpPort}`);
  expect(output()).toContain(connection.gatewayUrl);
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const filling = await fetch(`${host.url}/room/bulk/?max_vmr=2`, { method: "POST", headers });
  expect(filling.status).toBe(202);
  const queues = openQueueContents(connection.storageConnectionString);
  await expect.poll(async () => (await queues.peek("pool")).length, { timeout: 60_000 }).toBe(2);
  const sink = await fetch(`${connection.platformControlUrl}/control/sink`);
  expect(await sink.json()).toMatchObject({ url: `${connection.gatewayUrl}/public/event_sink` });
  await host.stop();
  expect(await end("SIGINT")).toBe(0);
  expect(existsSync(settings)).toBe(false);
  expect(await readdir(join(folder, connectionFolder))).toEqual([]);
});

test("npm start -- --no-app keeps an existing settings file without --replace, and one that is edited while it runs", async () => {
  const folder = await temporaryFolder();
  const settings = join(folder, "local.settings.json");
  await writeFile(settings, "own");
  const refused = runScriptIn(folder, ...command);
  expect(await refused.exited).toBe(1);
  expect(refused.errors()).toMatch(/^npm start: local\.settings\.json exists\. .*--replace\.\n$/);
  expect(await readFile(settings, "utf8")).toBe("own");

  const { printed, end } = runScriptIn(folder, ...command, "--replace");
  await printed("Run `npm run build");
  await writeFile(settings, "edited");
  expect(await end("SIGINT")).toBe(0);
  expect(await readFile(settings, "utf8")).toBe("edited");
});
