/** `npm run demo`: its curl lines work in a shell, and it reports what is wrong in one line. */
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runScriptIn, temporaryFolder } from "../../../../test/support/script-process.ts";
import { connectionFolder, writeConnection } from "../../../simulators/connection.ts";
import { failuresIn } from "../../terminal/life-of-room.ts";
import { startRunningConsole } from "../running-console.ts";

const script = "tools/local/commands/demo.ts";

test("`npm run demo` passes on a gateway whose pool is empty, behind a proxy that does not reach it", async () => {
  const { connection, call, stop } = await startRunningConsole({ MAX_VMR: "3" });
  onTestFinished(stop);
  const folder = await temporaryFolder();
  writeConnection(connection, join(folder, connectionFolder, "1.json"));
  // The create waits for the pool, and the collector deletes the room.
  await call("DELETE /room/bulk/");
  for (const [name, value] of Object.entries({
    http_proxy: "http://127.0.0.1:1",
    no_proxy: "",
    NO_PROXY: "",
  }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exited, output } = runScriptIn(folder, script);
  expect(await exited).toBe(0);
  expect(output()).toMatch(/\n14 steps, 0 failed\n$/);
  expect(output()).toContain(`Using the gateway at ${connection.gatewayUrl}`);
  expect(output()).toContain('"tag":"https://verify.example.com/sessions/4711"');
  const logged = await (await fetch(`${connection.logWorkspaceUrl}/control/traces`)).json();
  const byCollector = { event: "room-deleted", function: "collectGarbage" };
  expect(logged).toContainEqual({ time: expect.any(String), fields: expect.objectContaining(byCollector) });
});

test("A step of npm run demo has failed if its responses have other statuses than its title, or are missing", () => {
  const script =
    "# Wait\n# Create (200, 200)\ncurl x\ncurl y\n# Change (202)\n# Read (200)\n# Delete (204)\n";
  const output =
    "# Wait\n# Create (200, 200)\ncurl x\nHTTP/1.1 200 OK\ncurl y\nHTTP/1.1 200 OK\n" +
    "# Change (202)\nHTTP/1.1 200 OK\n# Read (200)\nHTTP/1.1 200 OK\nHTTP/1.1 500 Error\n# Delete (204)\ncurl: (7)\n";
  expect(failuresIn(script, output)).toEqual([
    "FAIL Change (202): status 200",
    "FAIL Read (200): status 200, 500",
    "FAIL Delete (204): no response",
  ]);
});

test.each([
  { reason: "no gateway is running", path: process.env["PATH"] },
  { reason: "this computer has no curl", path: "" },
])("`npm run demo` reports in one line that $reason", async ({ reason, path }) => {
  vi.stubEnv("PATH", path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exited, output, errors } = runScriptIn(await temporaryFolder(), script);
  expect(await exited).toBe(1);
  expect(output()).toBe("");
  expect(errors()).toMatch(new RegExp(`^npm run demo: ${reason}\\..*\n$`));
});
