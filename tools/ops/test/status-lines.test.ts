/** What needs attention on the screen of `ops status`, at the limits of each value. */
import { expect, test } from "vitest";
import type { GatewayStatus } from "../status/read-status.ts";
import { statusLines } from "../status/status-lines.ts";

const now = Date.UTC(2026, 0, 15, 9);
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

const calm: GatewayStatus = {
  row: {
    TimeGenerated: ago(0),
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
  metricsTime: ago(15),
  checks: [],
};

const problemsOf = (row: Partial<GatewayStatus["row"]>, rest: Partial<GatewayStatus> = {}) =>
  statusLines({ ...calm, ...rest, row: { ...calm.row, ...row } }, now)
    .filter(({ problem }) => problem !== undefined)
    .map(({ label }) => label);

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

test("Metrics that are late or missing need attention", () => {
  expect(problemsOf({}, { metricsTime: ago(16) })).toEqual(["Metrics"]);
  expect(problemsOf({}, { metricsTime: undefined })).toEqual(["Metrics"]);
});

test("A failed check needs attention, and an inconclusive one does not", () => {
  const check = { name: "Event sink", found: "found", advice: "do this" };
  expect(problemsOf({}, { checks: [{ ...check, isOk: false }] })).toEqual(["Event sink"]);
  const [line] = statusLines({ ...calm, checks: [{ ...check, isOk: undefined }] }, now).filter(
    ({ label }) => label === "Event sink",
  );
  expect(line).toEqual({ label: "Event sink", value: "found", isUnknown: true });
});

test("Orphaned rooms are named, three at most", () => {
  const orphaned = ["a", "b", "c", "d"].map(
    (room) => ({ room, reason: "assigned-too-long", ageHours: 30 }) as const,
  );
  const valueOf = (total: number, named: number) =>
    statusLines(
      { ...calm, row: { ...calm.row, UnaccountedRooms: total }, orphaned: orphaned.slice(0, named) },
      now,
    ).find(({ label }) => label === "Unaccounted")?.value;
  expect(valueOf(5, 4)).toBe("5 rooms: a, b, c, 2 more");
  expect(valueOf(2, 2)).toBe("2 rooms: a, b");
  expect(valueOf(1, 0)).toBe("1 room");
});
