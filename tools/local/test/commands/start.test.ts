/** `npm start`: the lines that it prints work, and it leaves nothing behind. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  childrenOf,
  isRunning,
  runScriptIn,
  temporaryFolder,
} from "../../../../test/support/script-process.ts";
import { connectionFolder, findStartedGateway } from "../../../simulators/connection.ts";
import { fetchAccessToken } from "../../../simulators/consumer.ts";

/** Starts it in a folder of its own, so `--watch` sees no change of the project. */
async function start(lastText: string, ...args: string[]) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "src"));
  // A file that cannot be watched.
  await symlink("loop", join(folder, "src", "loop"));
  const hostJson = join(folder, "host.json");
  const newHostJson = join(folder, "new.json");
  for (const file of [hostJson, newHostJson]) await writeFile(file, "{}");
  const script = runScriptIn(folder, "tools/local/commands/start.ts", ...args);
  await script.printed(lastText);
  const connectionPath = join(folder, connectionFolder, `${script.child.pid}.json`);
  const connection = await findStartedGateway(connectionPath);
  if (!connection) throw new Error("there is no connection file");
  const children = await childrenOf(script.child.pid);
  if (children.length === 0) throw new Error("there is no process of the app");
  return { ...script, hostJson, newHostJson, connectionPath, connection, children };
}

test("`npm start` does what its options and printed lines say, and ends at once at a second Ctrl-C", async () => {
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
  vi.stubEnv("PLATFORM_URL", "https://platform.example.com");
  onTestFinished(() => void vi.unstubAllEnvs());
  const origin = "http://widget.example.com";
  const set = ["--set", "POOL_MINIMUM=1", "--set", "MAX_VMR=3", "--origin", origin];
  const running = await start("\nGateway  ", ...set, "--watch");
  const { child, exited, output, errors, printed, connection, children } = running;
  const url = connection.gatewayUrl;
  expect(connection).toMatchObject({ processId: child.pid, app: { state: "up" } });
  expect(output()).toMatch(/^Ignoring PLATFORM_URL from the environment\. Use --set/m);
  expect(output()).toContain("3/3 rooms ready in the pool\nThe gateway is ready. Press Ctrl-C to stop.");
  const lastLines = /\nConsole {8}(http:\S+)(?: .*)?\nAPI reference {2}\1\/api\/\nGateway {8}(http:.*)\n$/;
  const [, consoleUrl = "", usual = ""] = lastLines.exec(output()) ?? [];
  expect(usual).toBe(`${url}${new URL(url).port === "7071" ? "" : " (port 7071 is in use)"}`);
  expect(await (await fetch(consoleUrl)).text()).toContain("<title>VMR gateway console</title>");

  const health = await fetch(`${url}/public/health`, { headers: { origin } });
  expect(health.headers.get("access-control-allow-origin")).toBe(origin);
  await fetch(`${url}/public/health`, { headers: { origin: "http://other.example.com" } });
  await expect.poll(errors).toContain("npm start -- --origin http://other.example.com");
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const statusOf = async (method: string, path: string) =>
    (await fetch(url + path, { method, headers })).status;
  expect(await statusOf("POST", "/room/create")).toBe(200);
  await rename(running.newHostJson, running.hostJson);
  await printed("The app has been restarted.");
  expect(output()).toContain("host.json has changed.");
  expect(errors()).toContain("--watch does not see every change: Error: ELOOP");
  // A file that was replaced is still watched.
  await writeFile(running.hostJson, "{ }");
  await expect.poll(() => output().match(/The app has been restarted\./g)).toHaveLength(2);
  expect(await statusOf("DELETE", "/room/bulk/")).toBe(204);
  expect(await statusOf("POST", "/room/create")).toBe(404);
  await expect.poll(errors).toMatch(/ warning {5}Function\.createRoomFromQueue\S*: pool-empty$/m);

  await post(`${connection.platformControlUrl}/control/latency`, { milliseconds: 100_000 });
  await post(`${url}/admin/functions/collectMetrics`, {});
  await pollForEnd(child, () => child.kill("SIGINT"));
  expect(await exited).toBe(0);
  // It did not wait for the call in flight.
  expect(output()).not.toContain("Stopped.");
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
  expect(existsSync(running.connectionPath)).toBe(false);
});

test("`npm start` reports a refused platform password, keeps running, and ends with 1 when the app has crashed three times", async () => {
  // More than the queue service shows at once.
  const reason = "0 of 32 rooms: the platform refuses the login (401).";
  const set = ["--set", "PLATFORM_PASSWORD=wrong", "--set", "MAX_VMR=33"];
  const { child, exited, output, errors, connection, connectionPath } = await start(reason, ...set);
  expect(output()).toContain("npm run ops -- status --local");
  expect((await fetch(`${connection.gatewayUrl}/public/health`)).status).toBe(200);
  expect(errors().match(/provisioning-failed \(platform-login-refused 401\)/g)?.length).toBeLessThan(4);
  expect(errors()).not.toMatch(/^\s+at /m);
  await pollForEnd(child, async () => {
    for (const id of await childrenOf(child.pid)) process.kill(id, "SIGKILL");
  });
  expect(await exited).toBe(1);
  expect(errors()).toContain("npm start: the app has ended: Exceeded language worker restart retry count\n");
  expect(output()).toMatch(/Stopped\.\n$/);
  expect(existsSync(connectionPath)).toBe(false);
});

test("`npm start -- --watch` reports an app that does not load, and leaves no process behind if it is killed", async () => {
  const invalid = ["--watch", "--verbose", "--inspect", "--set", "POOL_MINIMUM=10", "--set", "MAX_VMR=3"];
  const { output, errors, connection, children, end } = await start("The app did not load: ", ...invalid);
  // Another program may use this port.
  expect(errors()).toMatch(/(?:Debugger listening on ws:\/\/|Starting inspector on )127\.0\.0\.1:9229/);
  const reason = "Error: Invalid settings: POOL_MINIMUM: must not be greater than MAX_VMR";
  expect(connection.app).toEqual({ state: "not loaded", reason });
  expect(output()).toContain("The next change restarts it.");
  expect((await fetch(`${connection.gatewayUrl}/public/health`)).status).toBe(404);
  expect(await end("SIGKILL")).toBe("SIGKILL");
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
});

test.each([
  { command: "npm start", args: [] },
  { command: "npm start -- --no-app", args: ["--no-app"] },
])("`$command` reports a port that is in use in one line", async ({ args }) => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = z.object({ port: z.int() }).parse(taken.address());
  const folder = await temporaryFolder();
  const refused = runScriptIn(folder, "tools/local/commands/start.ts", ...args, "--port", `${port}`);
  const inUse = `npm start: port ${port} is in use. Leave the option out to use a free port.\n`;
  expect(await refused.exited).toBe(1);
  // On a busy computer, warnings of the storage may come first.
  expect(refused.errors().slice(-inUse.length)).toBe(inUse);
});

test("`npm start` ends with 1 if the app does not accept its settings", async () => {
  const settings = ["--set", "POOL_MINIMUM=10", "--set", "MAX_VMR=3"];
  const { exited, errors } = runScriptIn(
    await temporaryFolder(),
    "tools/local/commands/start.ts",
    ...settings,
  );
  expect(await exited).toBe(1);
  expect(errors()).toMatch(/^npm start: the app could not be loaded: .*POOL_MINIMUM: must not be .*\n$/m);
});

/** Does this until the process has ended. */
async function pollForEnd(child: ChildProcess, act: () => unknown): Promise<void> {
  const exitCode = async () => {
    await act();
    return child.exitCode;
  };
  await expect.poll(exitCode).not.toBeNull();
}

async function post(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}
