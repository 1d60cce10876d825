// What happens when the app's process dies, never comes up, or loses its host.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import type { FunctionsHost } from "../../../local/host/functions-host.ts";
import { startTestHost } from "./test-host.ts";

async function call(host: FunctionsHost, path: string) {
  const answer = await fetch(`${host.url}${path}`);
  return { status: answer.status, body: await answer.text() };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch {
    return false;
  }
  // A process that nobody has waited for yet answers signals too, but is as dead as any.
  const status = `/proc/${processId}/status`;
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, "utf8"));
}

test("a crash gives running calls an empty 500, the next call a new process, and the third ends the host", async () => {
  const { host, log } = await startTestHost(new URL("./apps/probe-app.ts", import.meta.url));
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

test("an app that throws while it loads leaves a host without functions", async () => {
  const { host, log } = await startTestHost(new URL("./apps/broken-app.ts", import.meta.url));
  try {
    expect(host.functions).toEqual([]);
    expect(await call(host, "/fine")).toEqual({ status: 404, body: "" });
    expect((await call(host, "/")).status).toBe(200);
    expect(log.filter((line) => line.level === "error").map((line) => line.message)).toEqual([
      expect.stringContaining("refused to start on purpose"),
    ]);
  } finally {
    await host.stop();
  }
});

test("an app that cannot stay alive fails the start", async () => {
  await expect(startTestHost(new URL("./apps/dying-app.ts", import.meta.url))).rejects.toThrow(
    "Exceeded language worker restart",
  );
});

test("a running call is answered before stop ends the app, and stopping twice is once", async () => {
  const { host } = await startTestHost(new URL("./apps/probe-app.ts", import.meta.url));
  const processId = host.workerProcessId() ?? 0;
  const running = call(host, "/sleep?ms=600");
  expect((await call(host, "/ping")).status).toBe(200);
  await Promise.all([host.stop(), host.stop()]);
  expect(await running).toEqual({ status: 200, body: "slept" });
  expect(await host.exited).toEqual({ reason: "stopped" });
  expect(isAlive(processId)).toBe(false);
});

describe("the command line", () => {
  async function run() {
    const script = fileURLToPath(new URL("../../../local/commands/run-host.ts", import.meta.url));
    const supervisor = spawn(
      process.execPath,
      [script, fileURLToPath(new URL("./apps/probe-app.ts", import.meta.url)), "--no-timers"],
      {
        stdio: ["ignore", "pipe", "inherit"],
        cwd: fileURLToPath(new URL("../../..", import.meta.url)),
      },
    );
    const [line] = await once(createInterface(supervisor.stdout), "line");
    const { url, functions } = JSON.parse(String(line));
    const { pid } = JSON.parse(await (await fetch(`${url}/u/pid`)).text());
    return { supervisor, url, functions, appProcessId: Number(pid) };
  }

  test("SIGTERM ends both processes", async () => {
    const { supervisor, functions, appProcessId } = await run();
    expect(functions).toContainEqual({
      name: "ping",
      trigger: "httpTrigger",
      route: "ping",
      methods: ["GET"],
    });
    const ended = once(supervisor, "exit");
    supervisor.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(isAlive(appProcessId)).toBe(false);
  });

  test("SIGKILL of the host leaves no app behind", async () => {
    const { supervisor, url, appProcessId } = await run();
    // An idle process would end for want of work: this one has a call to finish.
    const unfinished = fetch(`${url}/sleep?ms=20000`).then(
      () => "answered",
      () => "cut off",
    );
    expect((await fetch(`${url}/ping`)).status).toBe(200);
    expect(isAlive(appProcessId)).toBe(true);
    supervisor.kill("SIGKILL");
    await vi.waitFor(() => expect(isAlive(appProcessId)).toBe(false), { timeout: 5000, interval: 20 });
    expect(await unfinished).toBe("cut off");
  });
});
