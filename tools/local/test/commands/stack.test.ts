/** `npm run stack`: the settings file that it writes makes an app work with it, and nobody's own file is lost. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { loadSettings } from "../../../../src/lib/settings/load-settings.ts";
import {
  childrenOf,
  projectFolder,
  runScript,
  type ScriptProcess,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { startFunctionsHost } from "../../host/functions-host.ts";
import { fetchAccessToken } from "../../stack/access-token.ts";
import { findRunningGateway } from "../../stack/connection.ts";
import { showPoolFill } from "../../terminal/pool-progress.ts";

vi.setConfig({ testTimeout: 180_000 });

const settingsSchema = z.strictObject({
  IsEncrypted: z.literal(false),
  Values: z.record(z.string(), z.string()),
  Host: z.strictObject({ LocalHttpPort: z.int().min(1) }),
});

interface Files {
  readonly settings: string;
  readonly connection: string;
}

async function paths(): Promise<Files> {
  const folder = await temporaryFolder();
  return { settings: join(folder, "local.settings.json"), connection: join(folder, "connection.json") };
}

function run({ settings, connection }: Files, ...more: string[]): ScriptProcess {
  const files = ["--settings-file", settings, "--connection-file", connection];
  return runScript("tools/local/commands/stack.ts", ...files, ...more);
}

async function started(files: Files, ...more: string[]): Promise<ScriptProcess> {
  const script = run(files, ...more);
  await script.printed("The stack is ready.");
  return script;
}

const readSettings = async (path: string) => settingsSchema.parse(JSON.parse(await readFile(path, "utf8")));

test("An app with the written settings and port is the gateway that the stack expects", async () => {
  const files = await paths();
  const { child, output, end } = await started(files);
  expect(await childrenOf(child.pid)).toEqual([]);
  const { Values, Host } = await readSettings(files.settings);
  expect(Values["FUNCTIONS_WORKER_RUNTIME"]).toBe("node");
  expect(() => loadSettings(Values)).not.toThrow();
  expect(await findRunningGateway(files.connection)).toBeUndefined();

  const host = await startFunctionsHost({
    entry: `${projectFolder}src/main.ts`,
    hostJsonPath: `${projectFolder}host.json`,
    environment: Values,
    port: Host.LocalHttpPort,
  });
  onTestFinished(() => host.stop());
  const connection = await findRunningGateway(files.connection);
  expect(connection?.gatewayUrl).toBe(host.url);
  if (!connection) throw new Error("no connection");
  expect(output()).toContain(host.url);
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const filling = await fetch(`${host.url}/room/bulk/?max_vmr=2`, { method: "POST", headers });
  expect(filling.status).toBe(202);
  await showPoolFill(connection, 2, { output: { write: () => true } });
  const sink = await fetch(`${connection.platformControlUrl}/control/sink`);
  expect(await sink.json()).toMatchObject({ url: `${host.url}/public/event_sink` });
  await host.stop();

  expect(await end("SIGINT")).toBe(0);
  expect(existsSync(files.settings)).toBe(false);
  expect(existsSync(files.connection)).toBe(false);
});

test("The stack's storage has the blob, queue and table services that `func start` needs", async () => {
  const files = await paths();
  const { end } = await started(files);
  const { Values } = await readSettings(files.settings);
  const endpoints = Object.fromEntries(
    (Values["AzureWebJobsStorage"] ?? "").split(";").map((part) => part.split(/=(.*)/s, 2)),
  );
  const names = ["BlobEndpoint", "QueueEndpoint", "TableEndpoint"];
  const responses = await Promise.all(names.map(async (name) => fetch(`${endpoints[name]}?comp=list`)));
  expect(responses.map(({ headers }) => headers.get("server"))).toEqual([
    expect.stringMatching(/^Azurite-Blob/),
    expect.stringMatching(/^Azurite-Queue/),
    expect.stringMatching(/^Azurite-Table/),
  ]);
  expect(await end("SIGTERM")).toBe(0);
});

test("The stack keeps a settings file that it did not write, reports it in one line and exits with 1", async () => {
  const files = await paths();
  const own = '{"IsEncrypted":false,"Values":{"PLATFORM_URL":"https://platform.example.com"}}';
  await writeFile(files.settings, own);
  const { exited, output, errors } = run(files);
  expect(await exited).toBe(1);
  expect(output()).toBe("");
  expect(errors().trim().split("\n")).toEqual([expect.stringContaining("-- --replace")]);
  expect(await readFile(files.settings, "utf8")).toBe(own);
});

test("The stack replaces any settings file with --replace, and reports it", async () => {
  const files = await paths();
  await writeFile(files.settings, "not even JSON");
  const { output, end } = await started(files, "--replace");
  expect(output()).toContain("(replacing the existing file)");
  expect((await readSettings(files.settings)).Values["MAX_VMR"]).toBe("20");
  expect(await end("SIGINT")).toBe(0);
});

test("The stack replaces the file of a killed stack, and keeps its own file on exit if it was edited", async () => {
  const files = await paths();
  const killed = await started(files);
  await killed.end("SIGKILL");
  const stale = await readFile(files.settings, "utf8");

  const { end } = await started(files);
  const edited = (await readFile(files.settings, "utf8")).replace('"MAX_VMR": "20"', '"MAX_VMR": "7"');
  expect(edited).not.toBe(stale);
  await writeFile(files.settings, edited);
  expect(await end("SIGINT")).toBe(0);
  expect(await readFile(files.settings, "utf8")).toBe(edited);
});
