/** What happens if the app's process dies, cannot start, or loses its host. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { isRunning } from "../../../../test/support/script-process.ts";
import type { FunctionsHost, TimeScale } from "../../host/functions-host.ts";
import { startChild } from "../../process/child.ts";
import { startTestHost } from "./test-host.ts";

async function startProbe(timeScale: TimeScale = {}) {
  return startTestHost("probe-app.ts", { timeScale });
}

async function call(host: FunctionsHost, path: string) {
  const answer = await fetch(`${host.url}${path}`);
  return { status: answer.status, body: await answer.text() };
}

test("A crash returns an empty 500 to running calls and restarts the app; the third crash ends the host", async () => {
  const { host, log } = await startProbe();
  const failed = { status: 500, body: "" };
  const first = host.workerProcessId();

  const bystander = call(host, "/sleep?ms=5000");
  expect(await call(host, "/u/unhandled")).toEqual(failed);
  expect(await bystander).toEqual(failed);
  const pid = await call(host, "/u/pid");
  expect(JSON.parse(pid.body).pid).toBe(host.workerProcessId());
  expect(host.workerProcessId()).not.toBe(first);
  expect(log.map((line) => line.message).join("\n")).toContain("rejected and never handled");

  expect(await call(host, "/u/uncaught")).toEqual(failed);
  expect((await call(host, "/ping")).status).toBe(200);

  expect(await call(host, "/u/exit")).toEqual(failed);
  expect(await host.exited).toEqual({ reason: "Exceeded language worker restart retry count" });
  await expect(fetch(`${host.url}/ping`)).rejects.toThrow("fetch failed");
  expect(host.workerProcessId()).toBeUndefined();
});

test("An app that throws while loading leaves a host without functions", async () => {
  const { host, log, stop } = await startTestHost("broken-app.ts");
  onTestFinished(stop);
  expect(host.functions).toEqual([]);
  expect(await call(host, "/fine")).toEqual({ status: 404, body: "" });
  expect((await call(host, "/")).status).toBe(200);
  expect(log.filter((line) => line.level === "error").map((line) => line.message)).toEqual([
    expect.stringContaining("refused to start on purpose"),
  ]);
});

test("Starting the host fails if the app's process keeps ending", async () => {
  await expect(startTestHost("dying-app.ts")).rejects.toThrow("Exceeded language worker restart");
});

test("stop lets HTTP calls finish, however short its limit for timers and queues; a second stop is the same", async () => {
  const { host } = await startProbe({ backgroundDrainSeconds: 0 });
  const processId = host.workerProcessId() ?? 0;
  const running = call(host, "/sleep?ms=600");
  expect((await call(host, "/ping")).status).toBe(200);
  const stopped = Promise.all([host.stop(), host.stop()]);
  await expect(call(host, "/ping")).rejects.toThrow("fetch failed");
  await stopped;
  expect(await running).toEqual({ status: 200, body: "slept" });
  expect(await host.exited).toEqual({ reason: "stopped" });
  expect(isRunning(processId)).toBe(false);
});

test("stop returns 500 to an HTTP call that outlasts the limit", async () => {
  const { host } = await startProbe({ httpDrainSeconds: 0.2 });
  const running = call(host, "/sleep?ms=30000");
  expect((await call(host, "/ping")).status).toBe(200);
  await host.stop();
  expect(await running).toEqual({ status: 500, body: "" });
});

describe("run-host", () => {
  const addressesSchema = z.object({ url: z.url(), functions: z.array(z.unknown()), appProcessId: z.int() });

  async function run(...args: string[]) {
    const lines: string[] = [];
    const host = await startChild({
      script: "tools/local/commands/run-host.ts",
      addressesSchema,
      args: ["tools/local/test/host/apps/probe-app.ts", "--no-timers", ...args],
      onLine: (line) => lines.push(line),
    });
    onTestFinished(host.kill);
    return { host, lines, ...host.addresses };
  }

  test("SIGTERM ends host and app", async () => {
    const { host, functions, appProcessId } = await run();
    const ping = { name: "ping", trigger: "httpTrigger", route: "ping", methods: ["GET"] };
    expect(functions).toContainEqual(ping);
    expect(isRunning(appProcessId)).toBe(true);
    await host.stop();
    expect(await host.exited).toBe(0);
    expect(isRunning(appProcessId)).toBe(false);
  });

  test("SIGKILL of the host also ends the app", async () => {
    const { host, url, appProcessId } = await run();
    // An idle process would end for lack of work: this one has a call to finish.
    const unfinished = fetch(`${url}/sleep?ms=20000`).then(
      () => "answered",
      () => "cut off",
    );
    expect((await fetch(`${url}/ping`)).status).toBe(200);
    expect(isRunning(appProcessId)).toBe(true);
    await host.kill();
    await vi.waitFor(() => expect(isRunning(appProcessId)).toBe(false), { timeout: 5000, interval: 20 });
    expect(await unfinished).toBe("cut off");
  });

  test("closed standard input ends host and app, and --json-log prints JSON lines", async () => {
    const { host, lines, url, appProcessId } = await run("--json-log");
    expect((await fetch(`${url}/ping`)).status).toBe(200);
    host.process.stdin?.end();
    expect(await host.exited).toBe(0);
    expect(isRunning(appProcessId)).toBe(false);
    const messages = lines.map((line) => z.object({ message: z.string() }).parse(JSON.parse(line)).message);
    expect(messages).toContainEqual(expect.stringContaining("Executed 'Functions.ping' (Succeeded"));
    expect(messages.at(-1)).toBe("The host has ended: stopped");
  });
});
