/** The app's hooks run where the real worker runs them, and the log carries what the app says. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestHost, type TestHost } from "./test-host.ts";

let running: TestHost;

beforeEach(async () => {
  running = await startTestHost(new URL("./apps/hooks-app.ts", import.meta.url));
});
afterEach(() => running.host.stop());

async function call(query = "", headers: Record<string, string> = {}) {
  const answer = await fetch(`${running.host.url}/answer${query}`, { headers });
  const body = await answer.text();
  return { status: answer.status, body: body === "" ? undefined : JSON.parse(body) };
}

test("The appStart hook runs before the first call", async () => {
  expect(await call()).toMatchObject({ status: 200, body: { started: ["appStart"] } });
});

test("A preInvocation hook can replace the handler or refuse the call", async () => {
  expect(await call("?mode=replace")).toEqual({ status: 200, body: "replaced" });
  expect(await call("?mode=refuse")).toEqual({ status: 500, body: undefined });
});

test("A postInvocation hook gets the preInvocation hook's data and can turn a failure into a response", async () => {
  expect(await call("?mode=rescue")).toEqual({ status: 200, body: "rescued" });
  expect(await call("?mode=fail")).toEqual({ status: 500, body: undefined });
});

test("A log entry has level, function and call, after the log hook has changed it", async () => {
  await call();
  const lines = running.log.filter((line) => line.category === "Function.answer.User");
  expect(lines.map(({ level, message }) => ({ level, message }))).toEqual([
    { level: "warning", message: "[user] in the call" },
    { level: "information", message: "[user] after the call" },
  ]);
  expect(running.log.filter((line) => line.message.includes("Unexpected call to 'log'"))).toEqual([]);
  const executing = running.log.find((line) => line.message.startsWith("Executing"));
  expect(executing).toMatchObject({ functionName: "answer", invocationId: lines[0]?.invocationId });
});

test("A failure is logged with the error's stack", async () => {
  await call("?mode=fail");
  const failure = running.log.find((line) => line.level === "error");
  expect(failure?.message).toMatch(/^Executed 'Functions.answer' \(Failed/);
  expect(failure?.message).toMatch(/Error: failed in the function\n\s+at .*hooks-app\.ts/);
});

test("A call continues its caller's trace", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { body } = await call("", { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  expect(body.traceParent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect((await call()).body.traceParent).not.toContain(traceId);
});

test("The appTerminate hook runs when the host stops", async () => {
  await running.host.stop();
  expect(running.log.map((line) => line.message)).toContain("terminated");
});
