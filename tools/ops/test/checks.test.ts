/** The checks of `ops doctor` and `ops status`, one by one. */
import { expect, onTestFinished, test } from "vitest";
import { version } from "../../../src/lib/version.ts";
import { startLoopbackServer } from "../../local/simulators/loopback-server.ts";
import { checks, runCheck } from "../status/checks.ts";
import type { LogLine } from "../target/log-reader.ts";
import type { Target } from "../target/target.ts";
import { memoryTarget } from "./memory-target.ts";

const { log } = memoryTarget();

async function resultOf(name: string, changes: Partial<Target>) {
  const check = checks.find((candidate) => candidate.name === name);
  if (!check) throw new Error(`there is no check ${name}`);
  return runCheck(check, memoryTarget(changes));
}

async function respondingWith(status: number): Promise<string> {
  const server = await startLoopbackServer(() => ({ status }));
  onTestFinished(server.stop);
  return server.url;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

test.each([
  [200, true, "returns 200"],
  [503, false, "returns 503"],
  [404, false, "returns 404: the app did not load (a reason)"],
])("Gateway: %i", async (status, isOk, found) => {
  const lines = async () => [{ time: minutesAgo(1), fields: { message: "a reason" } }];
  const result = await resultOf("Gateway", {
    gatewayUrl: await respondingWith(status),
    log: { ...log, lines },
  });
  expect(result.isOk).toBe(isOk);
  expect(result.found).toMatch(new RegExp(`/public/health ${found.replace(/[()]/g, "\\$&")}$`));
});

test("Gateway: nobody listens", async () => {
  const result = await resultOf("Gateway", { gatewayUrl: "http://127.0.0.1:1" });
  expect(result).toMatchObject({ isOk: false, found: "http://127.0.0.1:1 does not respond" });
});

test.each([
  [401, true, /AUTH_TENANT_ID/],
  [200, false, /AUTH_TENANT_ID/],
  [403, false, /set HEALTH_URL/],
])("Access: %i", async (status, isOk, advice) => {
  const result = await resultOf("Access", { gatewayUrl: await respondingWith(status) });
  expect([result.isOk, result.advice]).toEqual([isOk, expect.stringMatching(advice)]);
});

test.each([
  [204, true],
  [401, false],
  [503, false],
])("Event sink: the last event got %i", async (status, isOk) => {
  const lines = async () => [204, status].map((each) => ({ time: minutesAgo(1), fields: { status: each } }));
  expect((await resultOf("Event sink", { log: { ...log, lines } })).isOk).toBe(isOk);
});

test("Event sink: without an event, nothing is known", async () => {
  expect((await resultOf("Event sink", {})).isOk).toBeUndefined();
});

const failed: LogLine = {
  time: minutesAgo(9),
  fields: {
    event: "provisioning-failed",
    failure: "platform-rejected",
    status: 400,
    rejectedFields: "pin",
  },
};
const timedOut: LogLine = {
  time: minutesAgo(20),
  fields: { event: "provisioning-failed", failure: "platform-timeout", status: null },
};
const provisioned = (minutes: number): LogLine => ({
  time: minutesAgo(minutes),
  fields: { event: "room-provisioned" },
});

test.each<[string, LogLine[], boolean, string]>([
  ["nothing failed", [provisioned(1)], true, "no failure in the last hour"],
  [
    "the newest failure counts",
    [timedOut, provisioned(15), failed],
    false,
    "2 attempts failed, the last 9 min ago: platform-rejected 400, field pin",
  ],
  ["no status", [timedOut], false, "1 attempt failed, the last 20 min ago: platform-timeout"],
  [
    "it is cured",
    [failed, provisioned(1)],
    true,
    "1 attempt failed, the last 9 min ago: platform-rejected 400, field pin; rooms have been provisioned since",
  ],
])("Provisioning: %s", async (_, logged, isOk, found) => {
  const lines = async () => logged;
  const result = await resultOf("Provisioning", { log: { ...log, lines } });
  // The seconds that the test has taken do not count.
  const foundThen = result.found.replace(/(\d+ min) \d+ s ago/, "$1 ago");
  expect([result.isOk, foundThen]).toEqual([isOk, found]);
});

test.each([
  [version, true],
  ["0.0.1", false],
  [undefined, true],
])("Version: the app is %s", async (deployed, isOk) => {
  const newestMetrics = async () => ({ Version: deployed });
  expect((await resultOf("Version", { log: { ...log, newestMetrics } })).isOk).toBe(isOk);
});

test.each([
  [14, true],
  [16, false],
])("Workspace: the newest row is %i minutes old", async (minutes, isOk) => {
  const newestMetrics = async () => ({
    TimeGenerated: new Date(Date.now() - minutes * 60_000).toISOString(),
  });
  expect((await resultOf("Workspace", { log: { ...log, newestMetrics } })).isOk).toBe(isOk);
});

test("Secrets: names those that cannot be read", async () => {
  expect(await resultOf("Secrets", { unresolvedSecrets: async () => ["ROOM_HOST_PIN"] })).toMatchObject({
    isOk: false,
    found: "not resolved: ROOM_HOST_PIN",
  });
});
