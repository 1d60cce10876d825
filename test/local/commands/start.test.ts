/** `npm start` as its user meets it: what it prints works as printed, and its end leaves nothing behind. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { findRunningGateway } from "../../../local/gateway/connection.ts";
import { startLocalGateway } from "../../../local/gateway/local-gateway.ts";
import { poll } from "../../../local/process/poll.ts";
import {
  childrenOf,
  runScript,
  type ScriptProcess,
  temporaryFolder,
  untilGone,
} from "../../support/script-process.ts";

vi.setConfig({ testTimeout: 180_000 });

interface Started extends ScriptProcess {
  connectionPath: string;
  children: number[];
}

async function start(): Promise<Started> {
  const connectionPath = join(await temporaryFolder(), "connection.json");
  const script = runScript("local/commands/start.ts", "--connection-file", connectionPath);
  await script.printed("The gateway is ready.");
  const children = await childrenOf(script.child.pid);
  expect(children).toHaveLength(1);
  return { ...script, connectionPath, children };
}

test("Every curl line that npm start prints works in a shell, on a full pool", async () => {
  const { child, exited, output, errors } = await start();
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
  child.kill("SIGINT");
  expect(await exited).toBe(0);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "npm start exits with 0 on %s and leaves nothing behind",
  async (signal) => {
    const { child, exited, connectionPath, children, output } = await start();
    const connection = await findRunningGateway(connectionPath);
    expect(connection?.processId).toBe(child.pid);

    child.kill(signal);
    expect(await exited).toBe(0);
    expect(output()).toMatch(/Stopped\.\n$/);
    await untilGone(children);
    expect(existsSync(connectionPath)).toBe(false);
  },
);

test("npm start works if the environment names a proxy", async () => {
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { child, exited } = await start();
  child.kill("SIGINT");
  expect(await exited).toBe(0);
});

test("A killed npm start leaves no app process, and its connection file is ignored", async () => {
  const { child, exited, connectionPath, children } = await start();
  child.kill("SIGKILL");
  expect(await exited).toBe("SIGKILL");
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

test("npm start reports an unknown option in one line and exits with 2", async () => {
  const { exited, output, errors } = runScript("local/commands/start.ts", "--nonsense");
  expect(await exited).toBe(2);
  expect(output()).toBe("");
  expect(errors()).toMatch(/^Unknown option '--nonsense'[^\n]* \(options: --verbose, --connection-file\)\n$/);
});
