/** The local host treats the app as the real host does: requests, timers, crashes, and shutdown. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { isRunning } from "../../../../test/support/script-process.ts";
import type { FunctionsHost } from "../../host/functions-host.ts";
import { startChild } from "../../process/child.ts";
import { fire, startTestHost, useTestHost } from "./test-host.ts";

async function call(host: FunctionsHost, path: string) {
  const response = await fetch(`${host.url}${path}`);
  return { status: response.status, body: await response.text() };
}

describe("A request", () => {
  const running = useTestHost("probe-app.ts", { timersEnabled: false });
  async function send(request: string, headers: Record<string, string> = {}, text?: string) {
    const client = createHttpClient(running.host.url);
    onTestFinished(client.close);
    return client.send(request, { headers, ...(text !== undefined && { text }) });
  }

  test.each([
    ["/echo/a%2Fb", { params: { x: "a%2Fb" } }],
    ["/echo/a%252Fb", { params: { x: "a%2Fb" } }],
    ["/ECHO/%C3%A9%20b/", { params: { x: "é b" } }],
    ["/echo/%FF", { params: { x: "%FF" } }],
    ["/echo/x?a=1&a=2", { query: { a: "1,2" }, search: "?a=1&a=2" }],
  ])("GET %s reaches the app with %j", async (path, seen) => {
    expect((await send(`GET ${path}`)).json).toMatchObject(seen);
  });

  test("reaches the app with the values of a repeated header joined, and without a chunked body", async () => {
    const repeated = await fetch(`${running.host.url}/echo/x`, {
      headers: [
        ["x-repeated", "1"],
        ["x-repeated", "2"],
      ],
    });
    expect(await repeated.text()).toMatch(/"header":"1, ?2"/);
    expect((await send("POST /body", {}, "héllo")).json).toEqual({ received: "héllo" });
    const chunked = await send("POST /body", { "transfer-encoding": "chunked" }, "hello");
    expect(chunked.json).toEqual({ received: "" });
  });

  test.each([
    ["GET /first/list", 200, "a_literal"],
    ["GET /first/other", 200, "b_parameter"],
    ["POST /first/list", 404, ""],
    ["GET /first//list", 404, ""],
    ["HEAD /echo/x", 200, ""],
    ["HEAD /first/list", 404, ""],
    ["GET /nothing", 204, ""],
    ["GET /echo/%00", 400, ""],
    ["GET /keyed", 401, ""],
    ["GET /", 404, ""],
  ])("%s gets %i", async (request, status, text) => {
    expect(await send(request)).toMatchObject({ status, text });
  });

  test("that fails gets an empty 500, and its error is logged with the stack and the call's ID", async () => {
    expect(await send("GET /failing")).toMatchObject({ status: 500, text: "" });
    const own = running.log.find(({ message }) => message === "in the call");
    const failure = running.log.find(({ message }) => message.includes("(Failed,"));
    expect(own).toMatchObject({ level: "warning", category: "Function.failing.User" });
    expect(failure).toMatchObject({ level: "error", invocationId: own?.invocationId });
    expect(failure?.message).toMatch(/Error: thrown on purpose\n\s+at .*probe-app\.ts/);
  });

  test("fires a timer by hand; an unknown name is 404, and a body that is not JSON 400", async () => {
    expect((await fire(running.host, "everySecond")).status).toBe(202);
    await running.waitForMessages(1, "everySecond begins, past due: false");
    expect((await fire(running.host, "nobody")).status).toBe(404);
    expect((await send("POST /admin/functions/everySecond", {}, "text")).status).toBe(400);
  });
});

test("Timers run on startup and by schedule, one run at a time, also after a failure; a disabled one does not", async () => {
  const environment = { "AzureWebJobs.echo.Disabled": "true" };
  const running = await startTestHost("probe-app.ts", { environment });
  onTestFinished(running.stop);
  await running.waitForMessages(2, "everySecond ends");
  const order = running.appMessages().filter((message) => message.startsWith("everySecond"));
  expect(order.slice(0, 4).map((message) => message.split(/[ ,]/)[1])).toEqual([
    "begins",
    "ends",
    "begins",
    "ends",
  ]);
  expect(running.appMessages().filter((message) => message === "onStartup runs")).toHaveLength(1);
  expect((await call(running.host, "/echo/x")).status).toBe(404);
});

test("A crash returns an empty 500 to running calls and restarts the app; the third crash ends the host", async () => {
  const { host, log } = await startTestHost("probe-app.ts", { timersEnabled: false });
  const failed = { status: 500, body: "" };
  const first = host.workerProcessId();
  const bystander = call(host, "/sleep?ms=5000");
  expect(await call(host, "/rejecting")).toEqual(failed);
  expect(await bystander).toEqual(failed);
  expect((await call(host, "/echo/x")).status).toBe(200);
  expect(host.workerProcessId()).not.toBe(first);
  expect(host.appState()).toEqual({ state: "up" });
  expect(log.map((line) => line.message).join("\n")).toContain("rejected and never handled");

  process.kill(host.workerProcessId() ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(host.appState().reason).toContain("by the signal SIGKILL"), 10_000);
  expect(await call(host, "/exiting")).toEqual(failed);
  expect(await host.exited).toEqual({ reason: "Exceeded language worker restart retry count" });
  await expect(fetch(`${host.url}/echo/x`)).rejects.toThrow("fetch failed");
  expect(host.appState()).toEqual({ state: "ended", reason: "The app's process was ended with exit code 3" });
});

test("An app that throws while loading leaves a host without functions, which gives the reason", async () => {
  const { host, log, stop } = await startTestHost("broken-app.ts");
  onTestFinished(stop);
  expect(host.functions).toEqual([]);
  expect(host.appState()).toEqual({ state: "not loaded", reason: "Error: refused to start on purpose" });
  expect(await call(host, "/fine")).toEqual({ status: 404, body: "" });
  expect(log.filter((line) => line.level === "error")).toHaveLength(1);
});

test("stop lets HTTP calls finish and closes the port at once; a call that outlasts the limit gets 500", async () => {
  const { host } = await startTestHost("probe-app.ts", { timersEnabled: false });
  const processId = host.workerProcessId() ?? 0;
  const running = call(host, "/sleep?ms=600");
  expect((await call(host, "/nothing")).status).toBe(204);
  const stopped = Promise.all([host.stop(), host.stop()]);
  await expect(call(host, "/nothing")).rejects.toThrow("fetch failed");
  await stopped;
  expect(await running).toEqual({ status: 200, body: "slept" });
  expect(isRunning(processId)).toBe(false);

  const timeScale = { httpDrainSeconds: 0.2 };
  const { host: hasty } = await startTestHost("probe-app.ts", { timersEnabled: false, timeScale });
  const long = call(hasty, "/sleep?ms=30000");
  expect((await call(hasty, "/nothing")).status).toBe(204);
  await hasty.stop();
  expect(await long).toEqual({ status: 500, body: "" });
});

describe("run-host", () => {
  const addressesSchema = z.object({ url: z.url(), functions: z.array(z.unknown()), appProcessId: z.int() });

  async function run(...args: string[]) {
    const lines: string[] = [];
    const host = await startChild({
      script: "tools/local/commands/run-host.ts",
      addressesSchema,
      args: ["tools/local/test/host/probe-app.ts", "--no-timers", ...args],
      onLine: (line) => lines.push(line),
    });
    onTestFinished(host.kill);
    return { host, lines, ...host.addresses };
  }

  test("finishes calls in flight at SIGTERM, prints JSON lines, and ends with its app", async () => {
    const { host, lines, url, functions, appProcessId } = await run("--json-log");
    expect(functions).toContainEqual(expect.objectContaining({ name: "echo", methods: ["GET", "HEAD"] }));
    const running = fetch(`${url}/sleep?ms=500`).then(async (response) => response.text());
    expect((await fetch(`${url}/nothing`)).status).toBe(204);
    await host.stop();
    expect(await running).toBe("slept");
    expect(await host.exited).toBe(0);
    expect(isRunning(appProcessId)).toBe(false);
    const messages = lines.map((line) => z.object({ message: z.string() }).parse(JSON.parse(line)).message);
    expect(messages.at(-1)).toBe("The host has ended: stopped");
  });

  test("takes its app along at SIGKILL", async () => {
    const { host, url, appProcessId } = await run();
    // An idle process would end for lack of work: this one has a call to finish.
    const unfinished = fetch(`${url}/sleep?ms=20000`).catch(() => "cut off");
    expect((await fetch(`${url}/nothing`)).status).toBe(204);
    await host.kill();
    await vi.waitFor(() => expect(isRunning(appProcessId)).toBe(false), { timeout: 10_000, interval: 20 });
    expect(await unfinished).toBe("cut off");
  });
});
