/** Timers: by schedule, at startup and by hand; never two runs of one timer at once. */
import { describe, expect, onTestFinished, test } from "vitest";
import { fire, startTestHost, useTestHost } from "./test-host.ts";

// Noon of a day that is the same in every time zone, give or take one.
const yearly = "0 0 12 15 6 *";
const environment = { AzureWebJobsStorage: "not used by timers here", YEARLY: yearly };

describe("with timers on", () => {
  const running = useTestHost("timer-app.ts", { environment });

  test("A schedule of seconds runs repeatedly, without a schedule status", async () => {
    const [first] = await running.waitForMessages(3, "everySecond");
    expect(JSON.parse(first?.slice("everySecond ".length) ?? "")).toEqual({
      schedule: { adjustForDST: true },
      scheduleStatus: null,
      isPastDue: false,
    });
  });

  test("runOnStartup runs at once, with no previous run in its status", async () => {
    const [first] = await running.waitForMessages(1, "onStartup");
    expect(JSON.parse(first?.slice("onStartup ".length) ?? "")).toEqual({
      schedule: { adjustForDST: true },
      scheduleStatus: {
        last: "0001-01-01T00:00:00",
        next: expect.stringMatching(/-06-1[456]T/),
        lastUpdated: "0001-01-01T00:00:00",
      },
      isPastDue: false,
    });
  });

  test("Runs of one timer do not overlap", async () => {
    await running.waitForMessages(4, "slow begins");
    const order = running.appMessages().filter((message) => message.startsWith("slow"));
    const run = ["slow begins", "slow ends"];
    expect(order.slice(0, 6)).toEqual([...run, ...run, ...run]);
  });

  test("A timer failure is logged with its stack, and the schedule continues", async () => {
    await running.waitForMessages(2, "failing runs");
    const failure = running.log.find((line) => line.message.includes("failed on purpose"));
    expect(failure).toMatchObject({ level: "error", functionName: "failing" });
    expect(failure?.message).toContain("timer-app.ts");
  });

  test("An invalid schedule is logged and does not affect other timers", () => {
    expect(running.log).toContainEqual(
      expect.objectContaining({ level: "error", category: "Function.badSchedule" }),
    );
    expect(running.host.functions).toContainEqual({
      name: "onStartup",
      trigger: "timerTrigger",
      schedule: yearly,
    });
  });
});

describe("with timers off", () => {
  const running = useTestHost("timer-app.ts", { environment, timersEnabled: false });

  test("With timers off, a timer runs only when fired by hand", async () => {
    expect(await fire(running.host, "byHand")).toEqual({ status: 202, body: "" });
    const [message] = await running.waitForMessages(1, "byHand");
    expect(JSON.parse(message?.slice("byHand ".length) ?? "").isPastDue).toBe(false);
    expect(running.appMessages()).toHaveLength(1);
  });

  test("POST /admin/functions/<name> returns 404 for an unknown name and 400 for a body that is not an object", async () => {
    expect((await fire(running.host, "nobody")).status).toBe(404);
    expect((await fire(running.host, "byHand", "text")).status).toBe(400);
  });

  test("POST /admin/functions/<name> accepts an HTTP function and logs that it cannot run", async () => {
    expect((await fire(running.host, "status")).status).toBe(202);
    const message = expect.stringContaining("An HTTP function cannot be fired by hand");
    expect(running.log).toContainEqual(expect.objectContaining({ category: "Function.status", message }));
  });

  test.each([
    ["202 if the input is null", { "Content-Type": "application/json" }, '{"input":null}', 202],
    ["202 if the body is {}", { "Content-Type": "application/json; charset=utf-8" }, "{}", 202],
    ["400 if the body is empty", { "Content-Type": "application/json" }, "", 400],
    ["415 if the body is not declared as JSON", {}, "{}", 415],
  ])("POST /admin/functions/<name> returns %s", async (_, headers, body, status) => {
    const url = `${running.host.url}/admin/functions/byHand`;
    const bytes = new TextEncoder().encode(body);
    expect((await fetch(url, { method: "POST", headers, body: bytes })).status).toBe(status);
  });
});

test("Without AzureWebJobsStorage, no timer runs on schedule, and HTTP works", async () => {
  const running = await startTestHost("timer-app.ts", { environment: { YEARLY: environment.YEARLY } });
  onTestFinished(running.stop);
  const message = expect.stringContaining("AzureWebJobsStorage is missing");
  expect(running.log).toContainEqual(expect.objectContaining({ message }));
  expect((await fetch(`${running.host.url}/status`)).status).toBe(200);
  await fire(running.host, "byHand");
  await running.waitForMessages(1, "byHand");
  expect(running.appMessages()).toHaveLength(1);
});
