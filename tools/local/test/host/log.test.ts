/** The log of a call, and its trace. */
import { expect, test } from "vitest";
import { useStartedPerTest } from "../../../../test/support/use-started.ts";
import { startTestHost } from "./test-host.ts";

const running = useStartedPerTest(async () => startTestHost("probe-app.ts"));

async function call(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${running.host.url}${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

test("A log entry has level, function and call", async () => {
  await call("/u/pid");
  const lines = running.log.filter((line) => line.category === "Function.pid.User");
  expect(lines).toMatchObject([{ level: "warning", message: "in the call", functionName: "pid" }]);
  expect(running.log.filter((line) => line.message.includes("Unexpected call to 'log'"))).toEqual([]);
  const executing = running.log.find((line) => line.message.startsWith("Executing"));
  expect(executing).toMatchObject({ functionName: "pid", invocationId: lines[0]?.invocationId });
});

test("A failure is logged with the error's stack", async () => {
  expect(await call("/r/throwsync")).toEqual({ status: 500, text: "" });
  const failure = running.log.find((line) => line.level === "error" && line.functionName === "r_throw_sync");
  expect(failure?.message).toMatch(/^Executed 'Functions.r_throw_sync' \(Failed/);
  expect(failure?.message).toMatch(/Error: thrown at once on purpose\n\s+at .*probe-app\.ts/);
});

test("A call continues its caller's trace", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { text } = await call("/u/pid", { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  expect(JSON.parse(text).traceParent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect((await call("/u/pid")).text).not.toContain(traceId);
});
