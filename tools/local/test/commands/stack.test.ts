/** `npm run stack`: an app works with the settings file that it writes, and no file of the user is lost. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  childrenOf,
  projectFolder,
  runScript,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { startFunctionsHost } from "../../../simulators/host/functions-host.ts";
import { fetchAccessToken } from "../../stack/access-token.ts";
import { findStartedGateway } from "../../stack/connection.ts";
import { showPoolFill } from "../../terminal/pool-progress.ts";

vi.setConfig({ testTimeout: 180_000 });

const settingsSchema = z.strictObject({
  IsEncrypted: z.literal(false),
  Values: z.record(z.string(), z.string()),
  Host: z.strictObject({ LocalHttpPort: z.int().min(1) }),
});

async function run(oldSettings: string, ...more: string[]) {
  const folder = await temporaryFolder();
  const [settings, connection] = [join(folder, "local.settings.json"), join(folder, "connection.json")];
  await writeFile(settings, oldSettings);
  const files = ["--settings-file", settings, "--connection-file", connection];
  return { settings, connection, ...runScript("tools/local/commands/stack.ts", ...files, ...more) };
}

test("An app with the written settings and port is the gateway that the stack expects, beside all services of Azurite", async () => {
  const {
    child,
    settings,
    connection: connectionFile,
    output,
    printed,
    end,
  } = await run("not even JSON", "--replace");
  await printed("The stack is ready.");
  expect(await childrenOf(child.pid)).toEqual([]);
  const { Values, Host } = settingsSchema.parse(JSON.parse(await readFile(settings, "utf8")));
  expect(Values).toMatchObject({ FUNCTIONS_WORKER_RUNTIME: "node", MAX_VMR: "20" });
  const endpoints = ["Blob", "Queue", "Table"].map(async (name) => {
    const [, url] = new RegExp(`${name}Endpoint=([^;]+)`).exec(Values["AzureWebJobsStorage"] ?? "") ?? [];
    return (await fetch(`${url}?comp=list`)).headers.get("server");
  });
  expect(await Promise.all(endpoints)).toEqual([
    expect.stringMatching(/^Azurite-Blob/),
    expect.stringMatching(/^Azurite-Queue/),
    expect.stringMatching(/^Azurite-Table/),
  ]);
  const host = await startFunctionsHost({
    entry: `${projectFolder}src/main.ts`,
    hostJsonPath: `${projectFolder}host.json`,
    environment: Values,
  });
  onTestFinished(() => host.stop());
  const connection = await findStartedGateway(connectionFile);
  if (!connection) throw new Error("no connection");
  // The host listens elsewhere, because something else could have taken the port meanwhile.
  const expectedUrl = `http://127.0.0.1:${Host.LocalHttpPort}`;
  expect(connection.gatewayUrl).toBe(expectedUrl);
  expect(output()).toContain(expectedUrl);
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const filling = await fetch(`${host.url}/room/bulk/?max_vmr=2`, { method: "POST", headers });
  expect(filling.status).toBe(202);
  const { ready } = await showPoolFill(connection, 2, { output: { write: () => true } });
  expect(ready).toBe(2);
  const sink = await fetch(`${connection.platformControlUrl}/control/sink`);
  expect(await sink.json()).toMatchObject({ url: `${expectedUrl}/public/event_sink` });
  await host.stop();
  expect(await end("SIGINT")).toBe(0);
  expect([existsSync(settings), existsSync(connectionFile)]).toEqual([false, false]);
});

test("The stack keeps the settings file on exit if somebody has edited it", async () => {
  const { settings, printed, end } = await run("", "--replace");
  await printed("The stack is ready.");
  await writeFile(settings, "edited");
  expect(await end("SIGINT")).toBe(0);
  expect(await readFile(settings, "utf8")).toBe("edited");
});

test("The stack keeps an existing settings file, reports it in one line and exits with 1", async () => {
  const own = '{"IsEncrypted":false,"Values":{"PLATFORM_URL":"https://platform.example.com"}}';
  const { settings, exited, output, errors } = await run(own);
  expect(await exited).toBe(1);
  expect(output()).toBe("");
  expect(errors().trim().split("\n")).toEqual([expect.stringContaining("-- --replace")]);
  expect(await readFile(settings, "utf8")).toBe(own);
});
