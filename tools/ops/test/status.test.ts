/** The findings of single checks, each at its limit. What faults of a gateway they name is in outages.test.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { version } from "../../../src/lib/version.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { createAuthority } from "../../../test/support/tls-front.ts";
import type { LogLine, Target } from "../gateway/target.ts";
import {
  checkPlatform,
  checkSettings,
  checkSpeed,
  checkStorage,
  checkVersion,
} from "../status/dependency-checks.ts";
import type { Finding } from "../status/line.ts";
import { historyOf } from "../status/log-history.ts";
import type { Measured, OwnMeasurement } from "../status/measured.ts";
import {
  checkAlarms,
  checkDeletion,
  checkPoison,
  checkPool,
  checkRequests,
  checkRooms,
  checkUnaccounted,
} from "../status/pool-checks.ts";
import { readingOf } from "../status/reading.ts";
import { checkMetrics, reasonsOfAnybody } from "../status/work-checks.ts";
import { memoryTarget } from "./memory-target.ts";

test("The alert callers-refused ignores the calls that status ignores", () => {
  const query = readFileSync("infra/alerts/callers-refused.kql", "utf8");
  expect(JSON.parse(`[${/Reason !in \((.*)\)/.exec(query)?.[1]}]`)).toEqual(reasonsOfAnybody);
});

const { clock, log } = memoryTarget();
const reading = (changes: Partial<Target> = {}) => readingOf(memoryTarget({ clock, ...changes }));
const minutesAgo = (minutes: number) => new Date(clock.now() - minutes * 60_000).toISOString();
const withNewestRow = (row: Record<string, unknown>) =>
  reading({ log: { ...log, newestMetrics: async () => row } });

test("Platform: the expired authority of PLATFORM_CA is named", async () => {
  const authorities = [{ validToYear: 2100 }, { validToYear: 2021 }, { validToYear: 2022 }].map(
    async (validity, index) => (await createAuthority(`Authority ${index}`, validity)).cert,
  );
  const PLATFORM_CA = (await Promise.all(authorities)).join("\n");
  const settings = loadSettings({ ...exampleEnvironment, PLATFORM_CA });
  const failure = Object.assign(new Error(), { code: "CERT_HAS_EXPIRED" });
  const read = { ...reading({ settings }), probe: async () => ({ seconds: 0, failure }) };
  expect((await checkPlatform(read)).found).toBe(
    "its certificate or its authority's has expired (CERT_HAS_EXPIRED); " +
      "PLATFORM_CA has expired: CN=Authority 1; PLATFORM_CA has expired: CN=Authority 2",
  );
});

test.each([
  [{ statusCode: 503 }, "fails at the call (503)", /#storage-unavailable$/],
  [{ statusCode: 403 }, "refuses access (403)", /#storage-unavailable$/],
  [{ name: "AbortError" }, "does not respond in time (ETIMEDOUT)", /#storage-unavailable$/],
  [{ message: "Run az login\nat length" }, "Run az login", /#storage-unavailable$/],
])("Storage: %j", async (failure, found, advice) => {
  const { queues } = memoryTarget();
  const count = async () => Promise.reject(Object.assign(new Error(), failure));
  const broken = { ...queues, poison: { ...queues.poison, count } };
  const expected = { isOk: false, found, advice: expect.stringMatching(advice) };
  expect(await checkStorage(reading({ queues: broken }))).toEqual(expected);
});

const create = (seconds: number, status = 200): LogLine => ({
  time: minutesAgo(1),
  fields: { event: "request", function: "createRoom", status, durationMilliseconds: seconds * 1000 },
});

const twelve = Array.from({ length: 12 }, (_, index) => create(12 - index));
test.each<[LogLine[], number | undefined, boolean | undefined, string]>([
  [[create(1), create(3)], 2, true, "2.0 s per call; creates take 1.0 to 3.0 s"],
  [[], 2.1, false, "2.1 s per call"],
  [[create(1), create(20, 503)], undefined, undefined, "creates take 1.0 to 1.0 s"],
  [[], undefined, undefined, "unknown"],
  // The latest ten, and the latest three of them.
  [twelve, 1, true, "1.0 s per call; creates take 1.0 to 10.0 s"],
  [twelve.slice(0, 8), undefined, false, "creates take 5.0 to 12.0 s"],
])("Platform speed with %j and %d s per call of our own", async (lines, seconds, isOk, found) => {
  const read = reading({ log: { ...log, lines: async () => lines } });
  const failed = { seconds: 0, failure: new Error("unreachable") };
  const probe = async () => (seconds === undefined ? failed : { seconds, failure: undefined });
  expect(await checkSpeed({ ...read, probe })).toMatchObject({ isOk, found });
});

test.each([
  ["++++", true],
  ["-", false],
  ["---+", true],
  // Two of three fail: two successes in a row may be chance.
  ["-+--+-", false],
  ["-+--+-++", false],
  ["-+--+-+++", true],
])("Work that went %s is over the failures: %s", (outcomes, isOver) => {
  const lines = outcomes.split("").map((outcome) => ({ time: "", fields: { outcome } }));
  expect(historyOf(lines, ({ fields }) => fields["outcome"] === "-").isOver).toBe(isOver);
});

const calm: Measured["row"] = {
  TimeGenerated: minutesAgo(0),
  PlatformConnected: true,
  PoolDepth: 10,
  DeletionDepth: 2,
  DeletionOldestSeconds: 660,
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
};
const ownOfCalm: OwnMeasurement = {
  orphaned: [],
  takenOut: 0,
  others: undefined,
  platformFailure: undefined,
  poolNames: undefined,
  oldestRequestSeconds: 0,
};

const lacking = (missing: number) => ({
  poolNames: { total: 10, missing, ofOthers: 0, contradiction: undefined },
});
const orphaned = ["a", "b", "c", "d"].map(
  (room) => ({ room, reason: "assigned-too-long", ageHours: 30 }) as const,
);
const cd = orphaned.slice(2);

type Check = (read: ReturnType<typeof reading>) => Promise<Finding>;
const withMeasured = (
  row: Partial<Measured["row"]>,
  own: Partial<OwnMeasurement>,
  lines: LogLine[] = [],
) => ({
  ...reading({ log: { ...log, lines: async () => lines } }),
  measured: async () => ({ row: { ...calm, ...row }, own: { ...ownOfCalm, ...own } }),
});
const given = (GIVEN_SETTING_NAMES: string, ROOM_TEMPLATE = "{}") =>
  reading({ settings: loadSettings({ ...exampleEnvironment, GIVEN_SETTING_NAMES, ROOM_TEMPLATE }) });
const collectorRan = { time: minutesAgo(5), fields: { function: "collectGarbage" } };
const collects = (oldest: number) => withMeasured({ DeletionOldestSeconds: oldest }, {}, [collectorRan]);

test.each<[Check, boolean | undefined, string, ReturnType<typeof reading>]>([
  [checkVersion, true, `the app is ${version}`, withNewestRow({ Version: version })],
  [checkVersion, false, "the app is 0.0.1", withNewestRow({ Version: "0.0.1" })],
  [checkVersion, true, "the app is unknown", withNewestRow({})],
  [checkMetrics, true, "the last row is 15 min old", withNewestRow({ TimeGenerated: minutesAgo(15) })],
  [checkMetrics, false, "the last row is 16 min old", withNewestRow({ TimeGenerated: minutesAgo(16) })],
  [checkDeletion, true, "the oldest for 1 h", collects(3600)],
  [checkDeletion, false, "the oldest for 1 h", collects(3601)],
  // The pool is switched off, but rooms are created.
  [checkPool, false, "10 of 0 rooms: switched off", withMeasured({ MaximumRooms: 0 }, {}, [create(1)])],
  [checkSettings, false, "unknown: MAX_VRM, POOL_MINIMUN", given("MAX_VMR,MAX_VRM,POOL_MINIMUN")],
  [checkSettings, undefined, "a new room dials nobody", given("MAX_VMR")],
  [checkSettings, true, "the app accepts them", given("MAX_VMR", '{"automatic_participants": []}')],
  [
    checkSettings,
    false,
    "cannot read the secrets ONE, TWO",
    reading({ unresolvedSecrets: async () => ["ONE", "TWO"] }),
  ],
])("%o: %s, %s", async (check, isOk, found, read) => {
  expect(await check(read)).toMatchObject({ isOk, found: expect.stringContaining(found) });
});

test.each<[Check, Partial<Measured["row"]>, Partial<OwnMeasurement>, boolean | undefined, string, string?]>([
  [checkPool, {}, {}, true, "10 of 50 rooms"],
  [checkPool, { PoolDepth: 9 }, {}, false, "9 of 50 rooms", "it is low"],
  // The pool is switched off, and nobody creates a room.
  [checkPool, { PoolDepth: 0, MaximumRooms: 0 }, {}, true, "0 of 0 rooms"],
  [checkPool, { PoolDepth: 52 }, {}, true, "52 of 50 rooms", "2 more than MAX_VMR, which does no harm"],
  [checkPool, { PoolDepth: null }, {}, undefined, "unknown"],
  [checkRequests, { ProvisioningDepth: null }, {}, undefined, "unknown"],
  [checkRequests, { ProvisioningDepth: 2 }, { oldestRequestSeconds: 15 }, true, "2 rooms requested"],
  [checkPoison, { PoisonDepth: null }, {}, undefined, "unknown"],
  [checkDeletion, {}, {}, true, "2 rooms waiting, the oldest for 11 min"],
  [checkDeletion, { DeletionOldestSeconds: 661 }, {}, false, "the collector has not run for 15 min"],
  [checkDeletion, { DeletionDepth: 31 }, {}, true, "31 rooms waiting"],
  [checkDeletion, { DeletionDepth: 32 }, {}, undefined, "32 names, and this gateway has 11 rooms"],
  [checkDeletion, { DeletionOldestSeconds: null }, {}, true, "2 rooms waiting, none of them due"],
  [checkDeletion, { DeletionDepth: null }, {}, undefined, "unknown"],
  [checkAlarms, { AlarmCount: null }, {}, undefined, "unknown"],
  [checkRooms, {}, {}, true, "10 pooled, 1 assigned, 1 live conference"],
  [checkRooms, { AvailableRooms: null }, {}, undefined, "unknown"],
  [checkRooms, { AvailableRooms: 8 }, {}, true, "8 pooled, 1 assigned"],
  [checkRooms, { AvailableRooms: 7 }, {}, undefined, "; 10 names in the pool"],
  [checkRooms, {}, lacking(1), true, "10 pooled"],
  [checkRooms, {}, lacking(2), false, "2 of 10 names", "callers repair this"],
  [checkRooms, {}, lacking(5), false, "5 of 10 names", "callers repair this"],
  [checkRooms, {}, lacking(6), false, "6 of 10 names", "shrink 0 --yes, then fill"],
  [checkRooms, { AvailableRooms: 7, ProvisioningDepth: 1 }, {}, true, "7 pooled"],
  [checkRooms, { PoolDepth: 1, AvailableRooms: 0 }, {}, true, "0 pooled"],
  [checkRooms, { OutdatedRooms: 3 }, {}, true, "10 pooled", "3 made with other settings"],
  [checkUnaccounted, { UnaccountedRooms: null }, {}, undefined, "unknown"],
  [checkUnaccounted, { UnaccountedRooms: 5 }, { orphaned }, false, "5 rooms: a, b, c, 2 more"],
  [checkUnaccounted, { UnaccountedRooms: 2 }, { orphaned: cd }, true, "2 rooms: c, d; 3 need attention"],
  [checkUnaccounted, { UnaccountedRooms: 2 }, {}, true, "2 rooms marked as pooled, but in no queue; 3 need"],
])("%o with %j: %s", async (check, row, rest, isOk, found, advice) => {
  const finding = await check(withMeasured(row, rest));
  expect(finding).toMatchObject({ isOk, found: expect.stringContaining(found) });
  expect(finding.advice ?? "").toContain(advice ?? "");
});
