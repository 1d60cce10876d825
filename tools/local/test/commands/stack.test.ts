/** `npm run stack`: an app works with the settings file that it writes, and no file of the user is lost. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { QueueServiceClient } from "@azure/storage-queue";
import getPort from "get-port";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import example from "../../../../local.settings.example.json" with { type: "json" };
import {
  childrenOf,
  projectFolder,
  runScript,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { startFunctionsHost } from "../../host/functions-host.ts";
import { fetchAccessToken } from "../../stack/access-token.ts";
import { findRunningGateway } from "../../stack/connection.ts";
import { ownerOf, removeSettingsFile, writeSettingsFile } from "../../stack/settings-file.ts";
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
  expect(output()).toContain("(replacing the existing file)");
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
  expect(await findRunningGateway(connectionFile)).toBeUndefined();

  const host = await startFunctionsHost({
    entry: `${projectFolder}src/main.ts`,
    hostJsonPath: `${projectFolder}host.json`,
    environment: Values,
    port: Host.LocalHttpPort,
  });
  onTestFinished(() => host.stop());
  const connection = await findRunningGateway(connectionFile);
  if (!connection) throw new Error("no connection");
  expect(connection.gatewayUrl).toBe(host.url);
  expect(output()).toContain(host.url);
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const filling = await fetch(`${host.url}/room/bulk/?max_vmr=2`, { method: "POST", headers });
  expect(filling.status).toBe(202);
  const { ready } = await showPoolFill(connection, 2, { output: { write: () => true } });
  expect(ready).toBe(2);
  const sink = await fetch(`${connection.platformControlUrl}/control/sink`);
  expect(await sink.json()).toMatchObject({ url: `${host.url}/public/event_sink` });
  await host.stop();
  expect(await end("SIGINT")).toBe(0);
  expect([existsSync(settings), existsSync(connectionFile)]).toEqual([false, false]);
});

test("The app starts with the example settings against the storage that the stack runs alone", async () => {
  const ports = [await getPort(), await getPort(), await getPort()];
  const script = [
    "tools/local/commands/stack.ts",
    "--only-storage",
    "--storage-ports",
    ports.join(","),
  ] as const;
  const { printed, end } = runScript(...script);
  await printed("Azurite is ready");
  // What UseDevelopmentStorage=true stands for, on these ports.
  const account = "devstoreaccount1";
  const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  const endpoints = ["Blob", "Queue", "Table"].map(
    (name, index) => `${name}Endpoint=http://127.0.0.1:${ports[index]}/${account}`,
  );
  const storage = [
    `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key}`,
    ...endpoints,
  ].join(";");
  const host = await startFunctionsHost({
    entry: `${projectFolder}src/main.ts`,
    hostJsonPath: `${projectFolder}host.json`,
    environment: { ...example.Values, AzureWebJobsStorage: storage },
  });
  onTestFinished(() => host.stop());
  expect((await fetch(`${host.url}/public/health`)).status).toBe(200);
  // Without --skipApiVersionCheck, Azurite rejects the version of this client with 400.
  await QueueServiceClient.fromConnectionString(storage).createQueue("a-queue");
  await host.stop();
  expect(await end("SIGINT")).toBe(0);
});

test("The stack keeps a settings file that it did not write, reports it in one line and exits with 1", async () => {
  const own = '{"IsEncrypted":false,"Values":{"PLATFORM_URL":"https://platform.example.com"}}';
  const { settings, exited, output, errors } = await run(own);
  expect(await exited).toBe(1);
  expect(output()).toBe("");
  expect(errors().trim().split("\n")).toEqual([expect.stringContaining("-- --replace")]);
  expect(await readFile(settings, "utf8")).toBe(own);
});

test("A settings file belongs to the stack that wrote it, also after that was killed, and is kept once it was edited", async () => {
  const path = join(await temporaryFolder(), "local.settings.json");
  expect(ownerOf(path)).toBe("nobody");
  const text = writeSettingsFile(path, { MAX_VMR: "20" }, 7071);
  expect(ownerOf(path)).toBe("stack");
  await writeFile(path, text.replace("20", "7"));
  removeSettingsFile(path, text);
  expect(existsSync(path)).toBe(true);
  await writeFile(path, text);
  removeSettingsFile(path, text);
  expect(existsSync(path)).toBe(false);
});
