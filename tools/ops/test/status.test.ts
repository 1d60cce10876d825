/** The findings of `ops status` and `ops doctor`: each check, and each value at its limit. */
import { expect, onTestFinished, test } from "vitest";
import { version } from "../../../src/lib/version.ts";
import { startLoopbackServer } from "../../local/simulators/loopback-server.ts";
import { checks, runCheck } from "../status/checks.ts";
import type { GatewayStatus } from "../status/read-status.ts";
import { statusLines } from "../status/status-lines.ts";
import type { LogLine, Target } from "../target/target.ts";
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
  [401, true, undefined],
  [200, false, expect.stringMatching(/AUTH_TENANT_ID/)],
  [403, false, expect.stringMatching(/set HEALTH_URL/)],
])("Access: %i", async (status, isOk, advice) => {
  const result = await resultOf("Access", { gatewayUrl: await respondingWith(status) });
  expect([result.isOk, result.advice]).toEqual([isOk, advice]);
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
])("Metrics: the newest row is %i minutes old", async (minutes, isOk) => {
  const newestMetrics = async () => ({
    TimeGenerated: new Date(Date.now() - minutes * 60_000).toISOString(),
  });
  expect((await resultOf("Metrics", { log: { ...log, newestMetrics } })).isOk).toBe(isOk);
});

test("Secrets: names those that cannot be read", async () => {
  expect(await resultOf("Secrets", { unresolvedSecrets: async () => ["ROOM_HOST_PIN"] })).toMatchObject({
    isOk: false,
    found: "not resolved: ROOM_HOST_PIN",
  });
});

const calm: GatewayStatus = {
  row: {
    TimeGenerated: minutesAgo(0),
    PlatformConnected: true,
    PoolDepth: 10,
    DeletionDepth: 2,
    DeletionOldestSeconds: 3600,
    ProvisioningDepth: 0,
    PoisonDepth: 0,
    AvailableRooms: 10,
    InUseRooms: 1,
    OutdatedRooms: 0,
    UnaccountedRooms: 0,
    LiveConferences: 1,
    AlarmCount: 0,
    AlarmNames: null,
    MaximumRooms: 50,
    PoolMinimum: null,
  },
  isMeasured: true,
  orphaned: [],
  takenOut: 0,
  checks: [],
};

const linesWith = (row: Partial<GatewayStatus["row"]>, rest: Partial<GatewayStatus> = {}) =>
  statusLines({ ...calm, ...rest, row: { ...calm.row, ...row } });
const problemsOf = (row: Partial<GatewayStatus["row"]>) =>
  linesWith(row)
    .filter(({ isOk }) => isOk === false)
    .map(({ name }) => name);

test("Nothing needs attention just within every limit", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ UnaccountedRooms: 2, OutdatedRooms: 3 })).toEqual([]);
  // The pool is switched off.
  expect(problemsOf({ PoolDepth: 0, MaximumRooms: 0 })).toEqual([]);
});

test.each<[Partial<GatewayStatus["row"]>, string]>([
  [{ PoolDepth: 0 }, "Pool"],
  [{ PoolDepth: 9 }, "Pool"],
  [{ DeletionOldestSeconds: 3601 }, "Deletion"],
  [{ PoisonDepth: 1 }, "Poison"],
  [{ ProvisioningDepth: null }, "Requests"],
  [{ PlatformConnected: false }, "Platform"],
  [{ PlatformConnected: null }, "Platform"],
  [{ AvailableRooms: null }, "Platform"],
  [{ AlarmCount: 1, AlarmNames: "licenses_exhausted" }, "Alarms"],
  [{ UnaccountedRooms: 3 }, "Unaccounted"],
])("%j needs attention", (row, label) => {
  expect(problemsOf(row)).toEqual([label]);
});

test("Orphaned rooms are named, three at most", () => {
  const orphaned = ["a", "b", "c", "d"].map(
    (room) => ({ room, reason: "assigned-too-long", ageHours: 30 }) as const,
  );
  const foundOf = (total: number, named: number) =>
    linesWith({ UnaccountedRooms: total }, { orphaned: orphaned.slice(0, named) }).find(
      ({ name }) => name === "Unaccounted",
    )?.found;
  expect(foundOf(5, 4)).toBe("5 rooms: a, b, c, 2 more");
  expect(foundOf(2, 2)).toBe("2 rooms: a, b");
  expect(foundOf(1, 0)).toBe("1 room");
});

test("Says that no room of the deletion queue is due if all are postponed", () => {
  expect(linesWith({ DeletionDepth: 1, DeletionOldestSeconds: null })).toContainEqual({
    name: "Deletion",
    isOk: true,
    found: "1 room waiting, none of them due",
  });
});
