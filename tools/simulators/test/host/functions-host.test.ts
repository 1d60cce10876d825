/** The local host treats the app as the real host does: requests, timers, messages, crashes, and shutdown. */
import { QueueServiceClient } from "@azure/storage-queue";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import type { Sent } from "../../exchange.ts";
import type { FunctionsHost } from "../../host/functions-host.ts";
import { startAzurite } from "../../services/azurite.ts";
import { startTestHost } from "./test-host.ts";

async function call(host: FunctionsHost, path: string) {
  const response = await fetch(`${host.url}${path}`);
  return { status: response.status, body: await response.text() };
}

describe("The request", () => {
  const probe = useStarted(async () => startTestHost("probe-app.ts", { timersEnabled: false }));

  async function send(request: string, sent: Sent) {
    const client = createHttpClient(probe.host.url);
    const received = await client.send(request, sent);
    client.close();
    return received;
  }

  const chunked = { "transfer-encoding": "chunked" };
  const decoded = { param: "é b", query: { a: "1,2" }, search: "?a=1&a=2" };
  test.each([
    {
      what: "keeps an encoded slash, and has its body",
      request: "POST /echo/a%2Fb",
      seen: { param: "a%2Fb", body: "héllo" },
    },
    {
      what: "is decoded, and its repeated parameter is joined",
      request: "POST /ECHO/%C3%A9%20b/?a=1&a=2",
      seen: decoded,
    },
    {
      what: "loses a chunked body",
      request: "POST /echo/%FF",
      added: chunked,
      seen: { param: "%FF", body: "" },
    },
  ])("$request $what", async ({ request, added = {}, seen }) => {
    const headers = { "content-type": "text/plain", ...added };
    expect((await send(request, { headers, text: "héllo" })).json).toMatchObject(seen);
  });

  test.each([
    { request: "GET /first/list", status: 200, text: "a_literal" },
    { request: "GET /first/other", status: 200, text: "b_parameter" },
    { request: "POST /first/list", status: 404, text: "" },
    { request: "GET /nothing", status: 204, text: "" },
    { request: "GET /first/%00", status: 400, text: "" },
    { request: "GET /keyed", status: 401, text: "" },
    { request: "POST /admin/functions/nobody", status: 404, text: "" },
  ])("$request gets $status", async ({ request, status, text }) => {
    expect(await send(request, { text: "{}" })).toMatchObject({ status, text });
  });

  test("of a function that throws gets an empty 500, and the error is logged with the ID of its own lines", async () => {
    expect(await send("GET /failing", {})).toMatchObject({ status: 500, text: "" });
    const own = probe.log.find(({ message }) => message === "in the call");
    const failure = probe.log.find(({ message }) => message.includes("(Failed,"));
    expect(own).toMatchObject({ level: "warning", category: "Function.failing.User" });
    expect(failure).toMatchObject({ level: "error", invocationId: own?.invocationId });
    expect(failure?.message).toMatch(/Error: thrown on purpose\n\s+at .*probe-app\.ts/);
  });
});

describe("In the background,", () => {
  const azurite = useStarted(async () => startAzurite());
  const encoded = (text: string) => Buffer.from(text).toString("base64");

  test("timers run on startup and by schedule, and messages run until they succeed or move to the poison queue", async () => {
    const { host, log, stop } = await startTestHost("probe-app.ts", {
      environment: { AzureWebJobsStorage: azurite.connectionString, "AzureWebJobs.echo.Disabled": "true" },
      queues: { maxDequeueCount: 3, visibilityTimeoutSeconds: 0, maxPollingIntervalSeconds: 0.2 },
    });
    onTestFinished(stop);
    const appMessages = () =>
      log.filter(({ category }) => category.endsWith(".User")).map((line) => line.message);
    expect((await call(host, "/echo/x")).status).toBe(404);
    const runsOf = (text: string) => appMessages().filter((message) => message.includes(text)).length;
    await expect.poll(() => runsOf("everySecond runs, past due: false")).toBeGreaterThan(1);
    expect(runsOf("onStartup runs")).toBe(1);

    const service = QueueServiceClient.fromConnectionString(azurite.connectionString);
    const queue = service.getQueueClient("work");
    const poison = service.getQueueClient("work-poison");
    await queue.createIfNotExists();
    for (const text of ['{"room":"é✓"}', "no JSON", "crash, then fail"])
      await queue.sendMessage(encoded(text));
    await expect.poll(async () => (await queue.getProperties()).approximateMessagesCount).toBe(0);
    const body = JSON.stringify({ input: '{"byHand":true}' });
    const fired = await fetch(`${host.url}/admin/functions/work`, { method: "POST", body });
    expect(fired.status).toBe(202);
    await expect.poll(() => runsOf("byHand")).toBe(1);
    const seen = appMessages().flatMap((text) => (text.startsWith("{") ? [JSON.parse(text)] : []));
    const succeeded = [{ room: "é✓" }, "no JSON"].map((message) => ({ message, dequeueCount: 1 }));
    expect(seen).toEqual(expect.arrayContaining([...succeeded, { message: { byHand: true } }]));
    // The worker dies in the first attempt.
    const attempts = seen.filter(({ message }) => message === "crash, then fail");
    expect(attempts.map(({ dequeueCount }) => dequeueCount)).toEqual([1, 2, 3]);
    const { receivedMessageItems } = await poison.receiveMessages();
    expect(receivedMessageItems.map(({ messageText }) => messageText)).toEqual([encoded("crash, then fail")]);
  });
});

test("A crash returns an empty 500 to running calls and restarts the app; the third crash ends the host", async () => {
  const reasons: (string | undefined)[] = [];
  const { host, log } = await startTestHost("probe-app.ts", {
    timersEnabled: false,
    onState: ({ reason }) => void reasons.push(reason),
  });
  const failed = { status: 500, body: "" };
  const first = host.workerProcessId();
  const bystander = call(host, "/sleep?ms=60000");
  expect(await call(host, "/rejecting")).toEqual(failed);
  expect(await bystander).toEqual(failed);
  expect((await call(host, "/echo/x")).status).toBe(200);
  expect(host.workerProcessId()).not.toBe(first);
  expect(host.appState()).toEqual({ state: "up" });
  expect(log.map((line) => line.message).join("\n")).toContain("rejected and never handled");

  process.kill(host.workerProcessId() ?? 0, "SIGKILL");
  await expect.poll(() => reasons.join("\n")).toContain("by the signal SIGKILL");
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

test("Ctrl-C does not reach the app, which has a process group of its own", async () => {
  const { host, stop } = await startTestHost("probe-app.ts", { timersEnabled: false });
  onTestFinished(stop);
  const group = -(host.workerProcessId() ?? 0);
  expect(() => process.kill(group, 0)).not.toThrow();
});

test("A call in flight finishes when the host stops, which closes its port at once and ends the app", async () => {
  const { host } = await startTestHost("probe-app.ts", { timersEnabled: false });
  const running = call(host, "/sleep?ms=500");
  expect((await call(host, "/nothing")).status).toBe(204);
  const stopped = host.stop();
  await expect(call(host, "/nothing")).rejects.toThrow("fetch failed");
  expect(await running).toEqual({ status: 200, body: "slept" });
  await stopped;
  expect(host.workerProcessId()).toBeUndefined();
});
