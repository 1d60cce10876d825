/** The findings of single checks, each at its limit. What faults of a gateway they name is in outages.test.ts. */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { version } from "../../../src/lib/version.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { createAuthority, startTlsFront } from "../../../test/support/tls-front.ts";
import { startLoopbackServer } from "../../simulators/loopback-server.ts";
import {
  checkAccess,
  checkPlatform,
  checkSettings,
  checkSpeed,
  checkStorage,
  checkVersion,
} from "../status/dependency-checks.ts";
import { historyOf } from "../status/log-history.ts";
import type { Measured, OwnMeasurement } from "../status/measured.ts";
import { checkDeletion, checkPool, checkRooms, checkUnaccounted } from "../status/pool-checks.ts";
import { readingOf } from "../status/reading.ts";
import { checkMetrics, reasonsOfAnybody } from "../status/work-checks.ts";
import { type LogLine, openPlatform, type Target } from "../target/target.ts";
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

test.each([
  [401, true, undefined],
  [200, false, expect.stringMatching(/AUTH_TENANT_ID/)],
])("Access: %i", async (status, isOk, advice) => {
  const server = await startLoopbackServer(() => ({ status }));
  onTestFinished(server.stop);
  const found = await checkAccess(reading({ gatewayUrl: server.url }));
  expect([found.isOk, found.advice]).toEqual([isOk, advice]);
});

const authority = await createAuthority("Private authority");
const expired = await createAuthority("Expired authority", { validToYear: 2021 });
const expiredWords =
  "its certificate or its authority's has expired (CERT_HAS_EXPIRED); PLATFORM_CA has expired: CN=Expired authority";
test.each([
  ["signed by an authority in PLATFORM_CA", authority, authority.cert, true, /^connected$/],
  [
    "signed by an unknown authority",
    authority,
    "",
    false,
    /^no authority known here has signed its certificate \(/,
  ],
  [
    "signed by an expired authority",
    expired,
    expired.cert,
    false,
    new RegExp(`^${expiredWords.replaceAll(/[()]/g, "\\$&")}$`),
  ],
])("Platform: a certificate %s", async (_, signer, PLATFORM_CA, isOk, found) => {
  const server = await startLoopbackServer(() => ({
    status: 200,
    body: { meta: { next: null }, objects: [] },
  }));
  onTestFinished(server.stop);
  const front = await startTlsFront(server.url, signer);
  onTestFinished(async () => front.stop());
  const settings = loadSettings({ ...exampleEnvironment, PLATFORM_URL: front.url, PLATFORM_CA });
  const platform = openPlatform(settings.platform);
  expect(await checkPlatform(reading({ settings, platform }))).toMatchObject({
    isOk,
    found: expect.stringMatching(found),
  });
});

test.each([
  [{ statusCode: 302 }, "redirects (302): its URL or the login is wrong", /#storage-unavailable$/],
  [{ statusCode: 503 }, "fails at the call (503)", /#storage-unavailable$/],
  [{ statusCode: 403 }, "refuses access (403)", /give yourself Storage Queue Data Contributor/],
  [{ code: "ECONNREFUSED" }, "refuses the connection (ECONNREFUSED)", /#storage-unavailable$/],
  [
    { code: "CERT_HAS_EXPIRED" },
    "its certificate or its authority's has expired (CERT_HAS_EXPIRED)",
    /#storage-unavailable$/,
  ],
  [
    { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
    "its certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)",
    /#storage-unavailable$/,
  ],
  [{ name: "AbortError" }, "does not respond in time (ETIMEDOUT)", /#storage-unavailable$/],
  [{ message: "Run az login\nat length" }, "Run az login", /#storage-unavailable$/],
])("Storage: %j", async (failure, found, advice) => {
  const { queues } = memoryTarget();
  const count = async () => Promise.reject(Object.assign(new Error(), failure));
  const pool = { ...queues.pool, count };
  expect(await checkStorage(reading({ queues: { ...queues, pool } }))).toEqual({
    isOk: false,
    found,
    advice: expect.stringMatching(advice),
  });
});

const create = (seconds: number, status = 200): LogLine => ({
  time: minutesAgo(1),
  fields: { event: "request", function: "createRoom", status, durationMilliseconds: seconds * 1000 },
});

test.each<[LogLine[], number | undefined, boolean | undefined, string]>([
  [[create(1), create(3)], 2, true, "2.0 s per call; creates take 1.0 to 3.0 s"],
  [[], 2.1, false, "2.1 s per call"],
  [[create(1), create(20, 503)], undefined, undefined, "creates take 1.0 to 1.0 s"],
  [[], undefined, undefined, "unknown"],
  // The latest ten of twelve.
  [
    Array.from({ length: 12 }, (_, index) => create(12 - index)),
    1,
    true,
    "1.0 s per call; creates take 1.0 to 10.0 s",
  ],
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

test.each([
  [version, true],
  ["0.0.1", false],
  [undefined, true],
])("Version: the app is %s", async (Version, isOk) => {
  expect((await checkVersion(withNewestRow({ Version }))).isOk).toBe(isOk);
});

test.each([
  [15, true],
  [16, false],
])("Metrics: the newest row is %i minutes old", async (minutes, isOk) => {
  expect((await checkMetrics(withNewestRow({ TimeGenerated: minutesAgo(minutes) }))).isOk).toBe(isOk);
});

test("The check of the pool says that it is switched off if rooms are created nevertheless", async () => {
  const measured = async () => ({ row: { ...calm, MaximumRooms: 0 }, own: undefined });
  const read = reading({ log: { ...log, lines: async () => [create(1)] } });
  const found = "10 of 0 rooms: switched off (MAX_VMR 0)";
  expect(await checkPool({ ...read, measured })).toMatchObject({ isOk: false, found });
});

test("The check of the settings names those that this version does not know", async () => {
  const settings = loadSettings({ ...exampleEnvironment, GIVEN_SETTING_NAMES: "MAX_VMR,MAX_VRM" });
  expect(await checkSettings(reading({ settings }))).toMatchObject({
    isOk: false,
    found: "unknown: MAX_VRM",
  });
  expect(await checkSettings(reading({}))).toMatchObject({ isOk: true });
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

const named = { total: 10, missing: 0, ofOthers: 0, contradiction: undefined };

const orphaned = ["a", "b", "c", "d"].map(
  (room) => ({ room, reason: "assigned-too-long", ageHours: 30 }) as const,
);

test.each<
  [typeof checkPool, Partial<Measured["row"]>, Partial<OwnMeasurement>, boolean | undefined, string, string?]
>([
  [checkPool, {}, {}, true, "10 of 50 rooms"],
  [checkPool, { PoolDepth: 9 }, {}, false, "9 of 50 rooms", "it is low"],
  [checkPool, { PoolDepth: 0 }, {}, false, "0 of 50 rooms", "creates return 404"],
  // The pool is switched off, and nobody creates a room.
  [checkPool, { PoolDepth: 0, MaximumRooms: 0 }, {}, true, "0 of 0 rooms"],
  [checkPool, { PoolDepth: 52 }, {}, true, "52 of 50 rooms", "2 more than MAX_VMR, which does no harm"],
  [checkPool, { PoolDepth: null }, {}, undefined, "unknown"],
  [checkDeletion, {}, {}, true, "2 rooms waiting, the oldest for 11 min"],
  [checkDeletion, { DeletionOldestSeconds: 661 }, {}, false, "the collector has not run for 15 min"],
  [checkDeletion, { DeletionDepth: 31 }, {}, true, "31 rooms waiting"],
  [checkDeletion, { DeletionDepth: 32 }, {}, undefined, "32 names, and this gateway has 11 rooms"],
  [checkDeletion, { DeletionOldestSeconds: null }, {}, true, "2 rooms waiting, none of them due"],
  [checkRooms, {}, {}, true, "10 pooled, 1 assigned, 1 live conference"],
  [checkRooms, { AvailableRooms: 8 }, {}, true, "8 pooled, 1 assigned"],
  [checkRooms, { AvailableRooms: 7 }, {}, undefined, "; 10 names in the pool"],
  [checkRooms, {}, { poolNames: { ...named, missing: 1 } }, true, "10 pooled"],
  [checkRooms, {}, { poolNames: { ...named, missing: 2 } }, false, "2 of 10 names", "callers repair this"],
  [checkRooms, {}, { poolNames: { ...named, missing: 5 } }, false, "5 of 10 names", "callers repair this"],
  [
    checkRooms,
    {},
    { poolNames: { ...named, missing: 6 } },
    false,
    "6 of 10 names",
    "shrink 0 --yes, then fill",
  ],
  [checkRooms, { AvailableRooms: 7, ProvisioningDepth: 1 }, {}, true, "7 pooled"],
  [checkRooms, { PoolDepth: 1, AvailableRooms: 0 }, {}, true, "0 pooled"],
  [checkRooms, { OutdatedRooms: 3 }, {}, true, "10 pooled", "3 made with other settings"],
  [checkRooms, {}, { takenOut: 1 }, true, "1 assigned (1 of them taken out of the pool"],
  [checkUnaccounted, { UnaccountedRooms: 5 }, { orphaned }, false, "5 rooms: a, b, c, 2 more"],
  [
    checkUnaccounted,
    { UnaccountedRooms: 2 },
    { orphaned: orphaned.slice(2) },
    true,
    "2 rooms: c, d; 3 need attention",
  ],
  [checkUnaccounted, { UnaccountedRooms: 3 }, {}, false, "3 rooms marked as pooled, but in no queue"],
  [
    checkUnaccounted,
    { UnaccountedRooms: 2 },
    {},
    true,
    "2 rooms marked as pooled, but in no queue; 3 need attention",
  ],
])("%o with %j: %s", async (check, row, rest, isOk, found, advice) => {
  const measured = async () => ({ row: { ...calm, ...row }, own: { ...ownOfCalm, ...rest } });
  const finding = await check({ ...reading(), measured });
  expect(finding).toMatchObject({ isOk, found: expect.stringContaining(found) });
  expect(finding.advice ?? "").toContain(advice ?? "");
});
