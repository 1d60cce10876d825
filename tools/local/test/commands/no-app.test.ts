/** `npm start -- --no-app`: an app works with the settings file that it writes, and no file of the user is lost. */
import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { loadSettings } from "../../../../src/lib/settings/settings.ts";
import {
  childrenOf,
  projectFolder,
  runScriptIn,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { conferencePath, platformCredentials } from "../../../../test/support/use-platform.ts";
import { connectionFolder, findStartedGateways } from "../../../simulators/connection.ts";

const settingsSchema = z.strictObject({
  IsEncrypted: z.literal(false),
  Values: z.record(z.string(), z.string()),
  Host: z.strictObject({ LocalHttpPort: z.int().min(1) }),
});
const authorization = await platformCredentials.authorization();
const command = ["tools/local/commands/start.ts", "--no-app"] as const;

test("`npm start -- --no-app` writes settings that make an app the gateway that it expects, and loses no file of the user", async () => {
  const folder = await temporaryFolder();
  const settings = join(folder, "local.settings.json");
  await writeFile(settings, "own");
  const refused = runScriptIn(folder, ...command);
  expect(await refused.exited).toBe(1);
  expect(refused.errors()).toMatch(/^npm start: local\.settings\.json exists\. .*--replace\.\n$/);
  expect(await readFile(settings, "utf8")).toBe("own");
  const set = ["--set", "MAX_VMR=7", "--set", "POOL_READY_DELAY_SECONDS=3600"];
  const { child, output, printed, end } = runScriptIn(folder, ...command, "--replace", ...set);
  await printed("Run `npm run build");
  expect(await childrenOf(child.pid)).toEqual([]);
  const { Values, Host } = settingsSchema.parse(JSON.parse(await readFile(settings, "utf8")));
  const GATEWAY_NAME = `local-${child.pid}`;
  expect(Values).toMatchObject({ FUNCTIONS_WORKER_RUNTIME: "node", MAX_VMR: "7", GATEWAY_NAME });
  expect(() => loadSettings(Values)).not.toThrow();
  // func start needs them.
  for (const name of ["Blob", "Queue", "Table"]) {
    const [, url] = new RegExp(`${name}Endpoint=([^;]+)`).exec(Values["AzureWebJobsStorage"] ?? "") ?? [];
    expect((await fetch(`${url}?comp=list`)).headers.get("server")).toMatch(new RegExp(`^Azurite-${name}`));
  }
  const [connection] = await findStartedGateways(join(folder, connectionFolder));
  const gatewayUrl = `http://127.0.0.1:${Host.LocalHttpPort}`;
  expect(connection).toMatchObject({ gatewayUrl, settings: { MAX_VMR: "7" } });
  expect(output()).toContain(gatewayUrl);
  const sink = await fetch(`${connection?.platformControlUrl}/control/sink`);
  expect(await sink.json()).toMatchObject({ url: `${gatewayUrl}/public/event_sink` });
  // The nodes learn of a room when the gateway would hand it out.
  const body = JSON.stringify({ name: "new" });
  const headers = { authorization, "content-type": "application/json" };
  const created = await fetch(Values["PLATFORM_URL"] + conferencePath, { method: "POST", headers, body });
  expect(created.status).toBe(201);
  const control = `${connection?.platformControlUrl}/control/conferences/join`;
  const citizen = JSON.stringify({ name: "new", participant: "Citizen" });
  const joined = await fetch(control, { method: "POST", body: citizen });
  expect(await joined.json()).toEqual({ error: "The conferencing nodes do not know this room yet." });
  expect(await end("SIGINT")).toBe(0);
  expect(await readdir(folder, { recursive: true })).not.toContain("local.settings.json");
  expect(await readdir(join(folder, connectionFolder))).toEqual([]);
  const again = runScriptIn(folder, ...command);
  await again.printed("Run `npm run build");
  await writeFile(settings, "edited");
  expect(await again.end("SIGINT")).toBe(0);
  expect(await readFile(settings, "utf8")).toBe("edited");
});

test("`npm start` does not take the file of a killed gateway, which had the process ID of this one, for another gateway", async () => {
  const folder = await temporaryFolder();
  const killed = runScriptIn(folder, ...command);
  await killed.printed("Run `npm run build");
  expect(await killed.end("SIGKILL")).toBe("SIGKILL");
  // With exec, the process of the command is that of the shell, whose ID is $$.
  const changeId = `sed 's/"processId": .*,/"processId": '$$',/' *.json > $$.json`;
  const shell = ["-c", `(cd ${connectionFolder} && ${changeId}) && exec "$@"`, "sh"];
  const script = join(projectFolder, command[0]);
  const options = { cwd: folder, encoding: "utf8" } as const;
  const again = spawnSync("sh", [...shell, process.execPath, script, "--no-app"], options);
  expect(again).toMatchObject({ stdout: "", stderr: expect.stringContaining("local.settings.json exists") });
});
