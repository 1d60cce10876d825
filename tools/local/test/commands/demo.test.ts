/** `npm run demo`: its curl lines work in a shell, and it reports what is wrong in one line. */
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startForwardingServer } from "../../../../test/support/forwarding-server.ts";
import { runScriptIn, temporaryFolder } from "../../../../test/support/script-process.ts";
import { connectionFolder, writeConnection } from "../../../simulators/connection.ts";
import { startRunningConsole } from "../running-console.ts";

vi.setConfig({ testTimeout: 180_000 });

const script = "tools/local/commands/demo.ts";

test("npm run demo passes on a gateway, and names the step whose response has another status", async () => {
  const { connection, runAction, untilPoolHas, stop } = await startRunningConsole();
  onTestFinished(stop);
  const folder = await temporaryFolder();
  const runDemo = async (gatewayUrl: string) => {
    await writeConnection({ ...connection, gatewayUrl }, join(folder, connectionFolder, "1.json"));
    const { exited, output } = runScriptIn(folder, script);
    return { code: await exited, output: output() };
  };
  // The create waits for the pool, and the collector deletes the room.
  await runAction("empty", {});
  const passed = await runDemo(connection.gatewayUrl);
  expect(passed.output).toContain(`Using the gateway at ${connection.gatewayUrl}`);
  expect(passed.output).toContain('"tag":"https://verify.example.com/sessions/4711"');
  expect(passed).toMatchObject({ code: 0, output: expect.stringMatching(/\n14 steps, 0 failed\n$/) });
  const logged = await (await fetch(`${connection.logWorkspaceUrl}/control/traces`)).json();
  const byCollector = { event: "room-deleted", function: "collectGarbage" };
  expect(logged).toContainEqual({ time: expect.any(String), fields: expect.objectContaining(byCollector) });

  await untilPoolHas(1);
  const { url } = await startForwardingServer(connection.gatewayUrl, (reply, request) =>
    request.method === "PATCH" ? { ...reply, status: 200 } : reply,
  );
  const failed = await runDemo(url);
  const end = /\n14 steps, 1 failed\nFAIL Change the room: status 200 instead of 202\n$/;
  expect(failed).toMatchObject({ code: 1, output: expect.stringMatching(end) });
});

test("npm run demo reports in one line that no gateway is running", async () => {
  const { exited, output, errors } = runScriptIn(await temporaryFolder(), script);
  expect([await exited, output()]).toEqual([1, ""]);
  expect(errors()).toMatch(/^npm run demo: no gateway is running\..*\n$/);
});
