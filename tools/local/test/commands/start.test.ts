/** `npm start` as its user meets it: what it prints works as printed, and its end leaves nothing behind. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import getPort from "get-port";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  childrenOf,
  projectFolder,
  runScript,
  temporaryFolder,
  untilGone,
} from "../../../../test/support/script-process.ts";
import { poll } from "../../process/poll.ts";
import { fetchAccessToken } from "../../stack/access-token.ts";
import { findRunningGateway } from "../../stack/connection.ts";
import { startLocalGateway } from "../../stack/local-gateway.ts";

vi.setConfig({ testTimeout: 180_000 });

async function start(...args: string[]) {
  const connectionPath = join(await temporaryFolder(), "connection.json");
  const script = runScript("tools/local/commands/start.ts", "--connection-file", connectionPath, ...args);
  await script.printed("The gateway is ready.");
  const children = await childrenOf(script.child.pid);
  expect(children).toHaveLength(1);
  return { ...script, connectionPath, children };
}

test("Every curl line that npm start prints works in a shell, on a full pool", async () => {
  const { output, errors, end } = await start();
  const [, consoleUrl = ""] = /^Console {2}(http:\S+)$/m.exec(output()) ?? [];
  expect(output().indexOf("Console")).toBeLessThan(output().indexOf("rooms ready in the pool"));
  expect(await (await fetch(consoleUrl)).text()).toContain("<title>VMR gateway console</title>");
  expect(output()).toContain("20/20 rooms ready in the pool");
  expect(output()).not.toMatch(/[\u001B\r]/);

  const lines = output().split("The life of a room: paste these lines into another terminal\n")[1] ?? "";
  const commands = lines.split("\nThe gateway is ready.")[0] ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", commands]);
  const statuses = [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  const expected = [
    [200, 202], // health, bulk create
    [200, 200, 200, 202, 200], // reads, public read, PATCH, list
    [200, 204, 202], // conference starts and ends, collectGarbage
    [202, 200], // collectMetrics, rows
    [204, 204], // delete, bulk delete
  ];
  expect(statuses).toEqual(expected.flat());
  expect(stdout).toContain('"tag":"https://verify.example.com/sessions/4711"');
  expect(errors()).not.toContain(" error ");
  expect(await end("SIGINT")).toBe(0);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "npm start exits with 0 on %s and leaves nothing behind",
  async (signal) => {
    const { child, connectionPath, children, output, end } = await start();
    const connection = await findRunningGateway(connectionPath);
    expect(connection?.processId).toBe(child.pid);

    expect(await end(signal)).toBe(0);
    expect(output()).toMatch(/Stopped\.\n$/);
    await untilGone(children);
    expect(existsSync(connectionPath)).toBe(false);
  },
);

test("npm start works if the environment names a proxy", async () => {
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { end } = await start();
  expect(await end("SIGINT")).toBe(0);
});

test("A killed npm start leaves no app process, and its connection file is ignored", async () => {
  const { connectionPath, children, end } = await start();
  expect(await end("SIGKILL")).toBe("SIGKILL");
  await untilGone(children);
  expect(existsSync(connectionPath)).toBe(true);
  expect(await findRunningGateway(connectionPath)).toBeUndefined();
});

test("A second Ctrl-C ends npm start without waiting for calls in flight", async () => {
  const { child, exited, connectionPath, children } = await start();
  const connection = await findRunningGateway(connectionPath);
  await fetch(`${connection?.platformControlUrl}/control/latency`, {
    method: "POST",
    body: JSON.stringify({ milliseconds: 9000 }),
  });
  await fetch(`${connection?.gatewayUrl}/admin/functions/collectMetrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });

  const asked = performance.now();
  await poll(
    async () => {
      child.kill("SIGINT");
      return child.exitCode ?? undefined;
    },
    { description: "the end after repeated Ctrl-C", timeoutSeconds: 8, pauseMilliseconds: 100 },
  );
  expect(await exited).toBe(0);
  expect(performance.now() - asked).toBeLessThan(5000);
  await untilGone(children);
});

test("startLocalGateway throws if the app refuses its settings, and leaves nothing behind", async () => {
  const before = await childrenOf(process.pid);
  const lines: string[] = [];
  const starting = startLocalGateway({
    settings: { MAX_VMR: "many" },
    onLog: ({ message }) => lines.push(message),
  });
  await expect(starting).rejects.toThrow("the app could not be loaded");
  expect(lines.join("\n")).toContain("MAX_VMR: must be a whole number");
  const left = (await childrenOf(process.pid)).filter((id) => !before.includes(id));
  await untilGone(left);
});

test("npm start obeys its options, and its app restarts without losing a room", async () => {
  const [port, consolePort, inspectPort] = [await getPort(), await getPort(), await getPort()];
  vi.stubEnv("MAX_VMR", "9");
  vi.stubEnv("POOL_LEASE_SECONDS", "60");
  vi.stubEnv("PLATFORM_URL", "https://platform.example.com");
  onTestFinished(() => void vi.unstubAllEnvs());
  const origin = "http://widget.example.com";
  const ports = ["--port", `${port}`, "--console-port", `${consolePort}`, "--inspect-port", `${inspectPort}`];
  const set = ["--set", "POOL_MINIMUM=1", "--set", "MAX_VMR=3", "--origin", origin];
  const { output, printed, connectionPath, end } = await start(...ports, ...set, "--watch", "--inspect");
  const url = `http://127.0.0.1:${port}`;
  expect(output()).toContain(`Console  http://127.0.0.1:${consolePort}\n`);
  expect(output()).toContain("3/3 rooms ready in the pool");
  expect(output()).toMatch(/^Ignoring PLATFORM_URL from the environment/m);
  expect(output()).not.toMatch(/Ignoring (?:MAX_VMR|POOL_LEASE_SECONDS)/);
  const debuggerUrl = async () => {
    const targets = z.array(z.object({ webSocketDebuggerUrl: z.url() }));
    const response = await fetch(`http://127.0.0.1:${inspectPort}/json/list`);
    return targets.parse(await response.json())[0]?.webSocketDebuggerUrl;
  };
  const debuggedBefore = await debuggerUrl();
  expect(debuggedBefore).toContain(`127.0.0.1:${inspectPort}`);
  const health = async () => fetch(`${url}/public/health`, { headers: { origin } });
  expect((await health()).headers.get("access-control-allow-origin")).toBe(origin);

  const connection = await findRunningGateway(connectionPath);
  if (!connection) throw new Error("the gateway does not respond");
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const created = await fetch(`${url}/room/create`, { method: "POST", headers });
  const { name } = z.object({ name: z.string() }).parse(await created.json());
  await utimes(join(projectFolder, "host.json"), new Date(), new Date());
  await printed("The app has been restarted.");
  expect((await fetch(`${url}/room/${name}`, { headers })).status).toBe(200);
  expect(await debuggerUrl()).not.toBe(debuggedBefore);
  expect(await end("SIGINT")).toBe(0);
});

test.each(["--port", "--console-port"])(
  "npm start reports that the port of %s is in use in one line, and leaves nothing behind",
  async (option) => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = z.object({ port: z.int() }).parse(taken.address());
    const { child, exited, errors } = runScript("tools/local/commands/start.ts", option, `${port}`);
    const children = new Set<number>();
    while (child.exitCode === null && child.signalCode === null) {
      for (const id of await childrenOf(child.pid)) children.add(id);
      await delay(20);
    }
    expect(await exited).toBe(1);
    expect(errors()).toBe(`npm start: port ${port} is in use\n`);
    expect(children.size).toBeGreaterThan(0);
    await untilGone([...children]);
  },
);

test.each([
  ["--nonsense", "unknown option '--nonsense'."],
  ["--prot", "unknown option '--prot' (Did you mean --port?)"],
  ["--port=70000", "option '--port <number>': It must be a whole number from 1 to 65535."],
  ["--port", "option '--port <number>' argument missing."],
  [
    "--set=MAX_ROOMS=1",
    "option '--set <NAME=value>': There is no setting MAX_ROOMS. Settings are listed in docs/reference.md.",
  ],
  ["--set=MAX_VMR=many", "option '--set <NAME=value>': MAX_VMR must be a whole number from 0 to 10000."],
  ["--set=MAX_VMR", "option '--set <NAME=value>': It must be NAME=value."],
  [
    "--origin=http://localhost:3000/page",
    "option '--origin <url>': It must be an origin, such as http://localhost:3000, without a path.",
  ],
  ["extra", "too many arguments. Expected 0 arguments but got 1: extra."],
])("npm start reports the misuse %s in one line and exits with 2", async (argument, message) => {
  const { exited, output, errors } = runScript("tools/local/commands/start.ts", argument);
  expect(await exited).toBe(2);
  expect(output()).toBe("");
  expect(errors()).toBe(`npm start: ${message} See npm start -- --help.\n`);
});
