/**
 * The findings of single checks. alerts.test.ts compares them with the alerts at their limits, and outages.test.ts has
 * those that need a gateway.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loggableName } from "../../../src/lib/ownership/room.ts";
import { QueueError } from "../../../src/lib/queue.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { version } from "../../../src/lib/version.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { httpFunctions } from "../../simulators/memory/functions.ts";
import { createMemoryGateway, createMemoryWorld } from "../../simulators/memory/gateway.ts";
import { createMemoryQueue } from "../../simulators/memory/queue.ts";
import { hostFailureEvent } from "../../simulators/services/log-workspace.ts";
import { startLoopbackServer } from "../../simulators/services/loopback-server.ts";
import { startTokenIssuer } from "../../simulators/services/token-issuer.ts";
import { callFunctions, type LogLine } from "../gateway/log.ts";
import { defaultLimits, platformOf, type Target } from "../gateway/target.ts";
import { runCheck, statusChecks } from "../status/checks.ts";
import * as dependency from "../status/dependency-checks.ts";
import type { Finding } from "../status/line.ts";
import { historyOf } from "../status/log-history.ts";
import type { Metrics, OwnMetrics } from "../status/metrics.ts";
import * as pool from "../status/pool-checks.ts";
import { readingOf } from "../status/reading.ts";
import * as work from "../status/work-checks.ts";
import { calmMetrics, memoryTarget } from "./memory-target.ts";

const clock = createManualClock();
const reading = (changes: Partial<Target> = {}, ...logged: Parameters<typeof memoryTarget>[1][]) =>
  readingOf(memoryTarget({ clock, ...changes }, ...logged));
const minutesAgo = (minutes: number) => new Date(clock.now() - minutes * 60_000).toISOString();
const withNewestRow = (row: Record<string, unknown>) =>
  reading({}, { rows: [{ TimeGenerated: minutesAgo(1), ...row }] });

type Read = ReturnType<typeof reading>;
type Check = (read: Read) => Promise<Finding>;

const guide = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
const sections = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
  heading.toLowerCase().replaceAll(" ", "-"),
);
/** Returns what a check finds. A section of the runbook that it names exists. */
async function findingOf(check: Check, read: Read): Promise<Finding> {
  const finding = await check(read);
  const named = finding.advice?.match(/(?<=docs\/operations\.md#).*/g) ?? [];
  expect(sections).toEqual(expect.arrayContaining(named));
  return finding;
}

const refused = { statusCode: 403 };
test.each([
  { cause: { statusCode: 503 }, code: "ServerBusy", found: "fails at the call (503)" },
  { cause: { name: "AbortError" }, found: "does not respond in time (ETIMEDOUT)" },
  { cause: {}, found: "" },
  { cause: refused, code: "Other", found: "refuses access (403)" },
  {
    cause: refused,
    code: "AuthorizationFailure",
    found: "refuses access (403)",
    why: "the account's firewall does not allow this computer: ",
  },
  {
    cause: refused,
    code: "AuthorizationPermissionMismatch",
    found: "refuses access (403)",
    why: "you lack a role: ",
  },
])("Storage that fails one queue: $found, $code", async (row) => {
  const { cause, code = "no response", why = "" } = row;
  const message = `queue count: ${code}`;
  const poison = createMemoryQueue(clock);
  const meanwhile = () => {
    throw new QueueError("unknown", message, Object.assign(new Error(), cause));
  };
  poison.strikeNext("count", { meanwhile });
  const queues = { ...memoryTarget({ clock }).queues, poison };
  const advice = `${why}docs/operations.md#storage-unavailable`;
  const found = row.found === "" ? message : `${row.found}: ${message}`;
  const finding = await findingOf(dependency.checkStorage, reading({ queues }));
  expect(finding).toEqual({ isOk: false, found, advice });
});

test.each([
  { seconds: 2, isOk: true, found: "responds in 2.0 s" },
  { seconds: 2.1, isOk: undefined, found: "responds in 2.1 s" },
])("Storage: $found", async ({ seconds, ...finding }) => {
  const operatorsClock = createManualClock();
  const target = memoryTarget({ clock: operatorsClock });
  const deletion = createMemoryQueue(operatorsClock);
  deletion.strikeNext("count", { meanwhile: () => operatorsClock.advance(seconds) });
  const queues = { ...target.queues, deletion };
  expect(await dependency.checkStorage(readingOf({ ...target, queues }))).toEqual(finding);
});

test("Storage: says what the app met last, although the queues respond to the operator", async () => {
  const lines = [
    { minutes: 9, invocationId: "one", message: "queue put: ServerBusy" },
    { minutes: 8, invocationId: "two", message: "queue put: ServerBusy" },
    { minutes: 7, invocationId: "two", message: "queue receive: AuthorizationFailure" },
  ].map(({ minutes, invocationId, message }) => ({
    time: minutesAgo(minutes),
    fields: { event: "storage-unavailable", invocationId, causes: [{ message }, { message: "RestError" }] },
  }));
  expect(await dependency.checkStorage(reading({}, { lines }))).toEqual({
    isOk: true,
    found:
      "responds in 0.0 s; the app logged storage-unavailable in 2 calls in the last hour: queue receive: AuthorizationFailure",
  });
});

const ofRecords = "This request is not authorized to perform this operation using this permission.";
test.each<[string, Check, string, object]>([
  [
    `storage-unavailable in 1 call in the last hour: ${ofRecords}`,
    dependency.checkStorage,
    "storage-unavailable",
    { causes: [{ message: "storage-unavailable" }, { message: `${ofRecords}\nRequestId:1` }] },
  ],
  [": throttles (429)", dependency.checkContactCentre, "contact-centre-unavailable", { status: 429 }],
  [" in the last hour", dependency.checkContactCentre, "contact-centre-unavailable", { status: null }],
])("Names what the app met, by the text of the service or by its status: %s", async (...row) => {
  const [end, check, event, fields] = row;
  const lines = [{ time: minutesAgo(1), fields: { event, ...fields } }];
  const { found } = await check(reading({ settings: withContactCentre() }, { lines }));
  expect(found.endsWith(end)).toBe(true);
});

test("Every check has a line of ops status", () => {
  const checks = Object.entries({ ...dependency, ...work, ...pool }).filter(([name]) =>
    name.startsWith("check"),
  );
  expect(new Set(statusChecks.map(({ run }) => run))).toEqual(new Set(checks.map(([, run]) => run)));
});

test("Reads the calls of every function that consumers or agents call", () => {
  const ofCallers = Object.entries(httpFunctions).filter(([, { access }]) =>
    ["application", "agent"].includes(access),
  );
  expect(callFunctions.toSorted(), "add it in tools/ops/gateway/log.ts").toEqual(
    ofCallers.map(([name]) => name).toSorted(),
  );
});

test("A check that throws has failed, and its line says why", async () => {
  const run = async () => Promise.reject(new Error("no access\nat length"));
  expect(await runCheck({ name: "Storage", run }, reading())).toEqual({
    name: "Storage",
    isOk: false,
    found: "no access",
  });
});

/** What gateway and contact centre return to a call without a token. */
let statuses: {
  readonly health?: number | "reset";
  readonly list?: number;
  readonly user?: number;
  readonly body?: string;
};
const app = useStarted(async () =>
  startLoopbackServer(({ url }) => {
    const { health, list, user, body = "" } = statuses;
    const all = { "/vmr/public/health": health, "/vmr/room/list": list, "/api/v2/users/me": user };
    const status = Object.entries(all).find(([path]) => path === url.pathname)?.[1] ?? 404;
    return status === "reset" ? status : { status, headers: { location: "/elsewhere" }, body };
  }),
);
const issuer = useStarted(async () => startTokenIssuer());
const gatewayUrl = () => `${app.url}/vmr`;
test.each<{ health: number | "reset"; list?: number; reason?: string; isOk: boolean; found: string }>([
  { health: 200, list: 401, isOk: true, found: "/public/health returns 200" },
  { health: 200, list: 200, isOk: false, found: "returns 200, but a call without a token is accepted" },
  { health: 200, list: 500, isOk: false, found: "but a call without a token fails at the call (500)" },
  { health: 404, reason: "a.b: is required", isOk: false, found: "the app did not load (a.b: is required)" },
  { health: 404, isOk: false, found: "/public/health returns 404: the app did not load" },
  { health: 503, isOk: false, found: "/public/health returns 503: the app does not run" },
  { health: "reset", isOk: false, found: "/vmr closes the connection" },
])("Gateway: $found", async ({ isOk, found, reason, ...given }) => {
  statuses = given;
  const fields = { event: hostFailureEvent, message: reason };
  const lines = reason === undefined ? [] : [{ time: minutesAgo(60), fields }];
  const finding = await findingOf(dependency.checkGateway, reading({ gatewayUrl: gatewayUrl() }, { lines }));
  expect(finding.isOk).toBe(isOk);
  // The code of the network layer depends on when the connection is closed.
  expect(finding.found.replace(/ \((?:ECONNRESET|UND_ERR_SOCKET)\)$/, "").endsWith(found)).toBe(true);
  expect(finding.found.startsWith(gatewayUrl())).toBe(true);
  expect(finding.advice).toBe(isOk ? undefined : "docs/operations.md#health-check-failing");
});

const withContactCentre = () => loadSettings({ ...exampleEnvironment, CONTACT_CENTRE_API_URL: app.url });
test.each([
  { user: 401, isOk: true, found: "responds" },
  { user: 200, isOk: false, found: "accepts a call without a token" },
  { user: 302, isOk: false, found: expect.stringContaining("redirects (302)") },
  { user: 503, isOk: false, found: "fails at the call (503)" },
  {
    user: 403,
    body: "<html>",
    isOk: false,
    found: "something in between responds to the call in its place (403)",
  },
])("Contact centre: returns $user, so the line says $found", async ({ isOk, found, ...given }) => {
  statuses = given;
  const finding = await findingOf(dependency.checkContactCentre, reading({ settings: withContactCentre() }));
  expect(finding).toMatchObject({ isOk, found });
});

const create = (seconds: number, status = 200): LogLine => ({
  time: minutesAgo(1),
  fields: { event: "request", function: "createRoom", status, durationMilliseconds: seconds * 1000 },
});
const twelve = Array.from({ length: 12 }, (_, index) => create(12 - index));

test.each([
  {
    creates: [create(1), create(3)],
    own: 2,
    isOk: true,
    found: "2.0 s per call; creates take 1.0 to 3.0 s",
  },
  { creates: [], own: 2.1, isOk: false, found: "2.1 s per call" },
  { creates: [create(1), create(20, 503)], isOk: undefined, found: "creates take 1.0 to 1.0 s" },
  { creates: Array(3).fill(create(4)), isOk: undefined, found: "creates take 4.0 to 4.0 s" },
  { creates: [], isOk: undefined, found: "unknown" },
  // The latest ten are shown, and the latest three of them are judged.
  { creates: twelve, own: 1, isOk: true, found: "1.0 s per call; creates take 1.0 to 10.0 s" },
  { creates: twelve.slice(0, 8), isOk: false, found: "creates take 5.0 to 12.0 s" },
  { creates: twelve.slice(0, 8), own: 2, isOk: false, found: "2.0 s per call; creates take 5.0 to 12.0 s" },
  // One of the three is fast.
  {
    creates: [9, 1, 8].map((seconds) => create(seconds)),
    isOk: undefined,
    found: "creates take 1.0 to 9.0 s",
  },
])("Speed: says $found", async ({ creates, own, isOk, found }) => {
  const operatorsClock = createManualClock(clock.now());
  const { client } = createMemoryGateway(createMemoryWorld(operatorsClock));
  const probe = async () => {
    if (own === undefined) throw new Error("unreachable");
    operatorsClock.advance(own);
  };
  const platform = { ...platformOf(client), probe };
  const read = reading({ clock: operatorsClock, platform }, { lines: creates });
  const slow = "the platform, or the app's storage: docs/operations.md#platform-slow";
  const finding = await findingOf(dependency.checkSpeed, read);
  expect(finding).toEqual({ isOk, found, ...(isOk === false && { advice: slow }) });
});

const called = (name: string, minutes: number, status: number, reason?: string): LogLine => ({
  time: minutesAgo(minutes),
  fields: { event: "request", function: name, status, reason, durationMilliseconds: 1000 },
});
const withFields = (line: LogLine, fields: object): LogLine => ({
  ...line,
  fields: { ...line.fields, ...fields },
});

test.each([
  { since: "served since", minutes: 1, isKnown: true, isOk: true },
  { since: "served before", minutes: 40, isKnown: true, isOk: false },
  { since: "served before, and no log of it here", minutes: 40, isKnown: false, isOk: undefined },
])("Callers: five refusals by API Management, and creates that were $since", async ({ minutes, ...row }) => {
  const refused = [30, 31, 32, 33, 34].map((age) => called("createRoom", age, 401, "TokenExpired"));
  const { log } = memoryTarget({ clock }, { lines: Array(5).fill(called("createRoom", minutes, 200)) });
  const both = { ...log, answeredByApiManagement: async () => (row.isKnown ? refused : undefined) };
  expect(await work.checkCallers(reading({ log: both }))).toMatchObject({ isOk: row.isOk });
});

const ofDeletedRoom = withFields(called("createRoom", 2, 404), { code: "room-not-found" });
const ofCreates = (status: number, minutes: number, amount: number): LogLine[] =>
  Array(amount).fill(called("createRoom", minutes, status));
test.each<{
  answered: LogLine[];
  ofApp?: LogLine[];
  isOk: boolean | undefined;
  found: string;
  advice?: string;
}>([
  {
    answered: [...ofCreates(504, 5, 20), ...ofCreates(502, 4, 1)],
    ofApp: ofCreates(200, 6, 25),
    isOk: false,
    found: "all served; API Management itself returned 504 to 20 creates, 502 to 1 create",
    advice: "docs/operations.md#creates-failing-in-front",
  },
  // The app may have served the creates that time out, as in a short burst.
  {
    answered: ofCreates(504, 5, 3),
    ofApp: [...ofCreates(200, 6, 3), ...ofCreates(200, 4, 3)],
    isOk: false,
    found: "504 to 3 creates",
    advice: "docs/operations.md#creates-failing-in-front",
  },
  { answered: ofCreates(504, 5, 3), ofApp: ofCreates(200, 4, 4), isOk: true, found: "504 to 3 creates" },
  { answered: ofCreates(502, 5, 3), ofApp: ofCreates(200, 4, 1), isOk: true, found: "502 to 3 creates" },
  {
    answered: ofCreates(429, 5, 40),
    ofApp: ofCreates(200, 4, 10),
    isOk: undefined,
    found: "all served; API Management's rate limits refused 40 creates (429)",
    advice: "docs/operations.md#creates-throttled",
  },
  {
    answered: ofCreates(502, 5, 1),
    ofApp: ofCreates(404, 4, 1),
    isOk: false,
    found: "; API Management itself returned 502 to 1 create",
    advice: "docs/operations.md#creates-failing",
  },
  {
    answered: ofCreates(429, 5, 3),
    isOk: undefined,
    found: "no create in 15 min; API Management's rate limits refused 3 creates (429)",
    advice: "docs/operations.md#creates-throttled",
  },
  { answered: ofCreates(504, 16, 9), isOk: true, found: "no create in 15 min" },
  { answered: ofCreates(401, 5, 9), isOk: undefined, found: "9 creates in 15 min, all refused: see Callers" },
  {
    answered: ofCreates(401, 5, 2),
    ofApp: [...ofCreates(422, 5, 3), ofDeletedRoom],
    isOk: undefined,
    found: "5 creates in 15 min, all refused: see Callers",
  },
  {
    answered: [],
    ofApp: [ofDeletedRoom],
    isOk: true,
    found: "1 create in 15 min, all with keys of deleted rooms",
  },
  {
    answered: [],
    ofApp: [...ofCreates(200, 5, 1), ofDeletedRoom],
    isOk: true,
    found: "1 create in 15 min, the newest 5 min ago, all served",
  },
])("Creates that API Management answers itself: $found", async ({ answered, ofApp = [], ...row }) => {
  const { log } = memoryTarget({ clock }, { lines: ofApp });
  const read = reading({ log: { ...log, answeredByApiManagement: async () => answered } });
  const { isOk, found, advice } = await findingOf(work.checkCreates, read);
  expect([isOk, advice]).toEqual([row.isOk, row.advice]);
  expect(found.endsWith(row.found)).toBe(true);
});

test("Creates: are judged by the app's log if that of API Management cannot be read", async () => {
  const { log } = memoryTarget({ clock }, { lines: ofCreates(500, 5, 1) });
  const answeredByApiManagement = async () => Promise.reject(new Error("The table is a Basic one"));
  const { found } = await work.checkCreates(reading({ log: { ...log, answeredByApiManagement } }));
  expect(found).toContain("1 of 1 create failed");
});

const refusedReads = (amount: number, minutes: number): LogLine[] =>
  Array(amount).fill(called("getPublicRoom", minutes, 401, "refused-by-contact-centre"));
test("Callers: ten agents' reads that are refused in 16 min are no fault", async () => {
  const lines = [...refusedReads(1, 16), ...refusedReads(9, 15)];
  expect(await work.checkCallers(reading({}, { lines }))).toMatchObject({ isOk: true });
});

const readOf = (room: string, minutes: number, status = 404): LogLine =>
  withFields(called("getPublicRoom", minutes, status), { room });
const fiveMissed = ["a", "b", "c", "d", "e"].map((room, index) => readOf(room, 50 - index));
const fiveClaimed: LogLine[] = Array(5).fill({ time: minutesAgo(59), fields: { event: "room-claimed" } });
test.each([
  { case: "five names", lines: fiveMissed, isOk: false },
  { case: "five names after one that was found", lines: [readOf("f", 55, 200), ...fiveMissed], isOk: false },
  { case: "five names before one that was found", lines: [...fiveMissed, readOf("f", 1, 200)], isOk: true },
  {
    case: "four names, some of them twice",
    lines: [...fiveMissed.slice(1), ...fiveMissed.slice(1)],
    isOk: true,
  },
  {
    case: "five names, one of them found before",
    lines: [readOf("a", 2879, 200), ...fiveMissed],
    isOk: true,
  },
  {
    case: "five names before the fifth room was handed out",
    lines: [...fiveMissed, { time: minutesAgo(45), fields: { event: "room-claimed" } }],
    claims: 4,
    isOk: true,
  },
  {
    case: "four names, and callers found the pool empty",
    lines: [...fiveMissed.slice(1), called("createRoom", 1, 404)],
    isOk: true,
  },
])(
  "Callers: agents found no room under $case, so all is well: $isOk",
  async ({ lines, claims = 5, isOk }) => {
    const read = reading(
      {},
      { lines: [...fiveClaimed.slice(0, claims), ...lines].toSorted((a, b) => (a.time < b.time ? -1 : 1)) },
    );
    const finding = await findingOf(work.checkCallers, read);
    expect(finding.isOk).toBe(isOk);
    expect(finding.found.startsWith("agents found no room under the newest 5 names: are ")).toBe(!isOk);
    expect(finding.advice).toBe(isOk ? undefined : "docs/operations.md#rooms-not-found");
  },
);

const ofCode = (status: number, code: string, fields: object = {}) =>
  withFields(called("createRoom", 2, status), { code, ...fields });
const refusedTag = { platformMethod: "PATCH", platformStatus: 400, rejectedFields: "tag" };
const refusedPin = { ...refusedTag, rejectedFields: "guest_pin" };
const badTags: LogLine[] = Array(5).fill(ofCode(422, "invalid-request"));
const rejectedTags: LogLine[] = Array(5).fill(ofCode(422, "invalid-request", refusedTag));
const emptied = [ofCode(502, "platform-rejected", refusedPin), ofCode(404, "pool-exhausted")];

test.each<[string, Check, LogLine[]]>([
  ["(422: invalid-request)", work.checkCallers, badTags],
  [
    "4 of 5 creates and agents' reads refused in 1 h, the newest with 403: role",
    work.checkCallers,
    [...badTags.slice(2), called("createRoom", 1, 403, "role"), called("createRoom", 1, 200)],
  ],
  ["(422: the platform rejects PATCH (400), field tag)", work.checkCallers, rejectedTags],
  ["5 creates in 15 min, all refused: see Callers", work.checkCreates, badTags],
  ["no create in 15 min", work.checkCreates, []],
  [
    "the pool was empty; before: the platform rejects PATCH (400), field guest_pin",
    work.checkCreates,
    emptied,
  ],
])("Creates that are refused or fail are named with their cause: %s", async (found, check, lines) => {
  expect((await findingOf(check, reading({}, { lines }))).found.endsWith(found)).toBe(true);
});

const accepted = [called("eventSink", 1, 204), called("eventSink", 1, 204)];
test.each<[string, boolean | undefined, LogLine[]]>([
  ["the last 15 min ago: a node has another", false, [called("eventSink", 15, 401, "password"), ...accepted]],
  ["the last 16 min ago: a node has another", true, [called("eventSink", 16, 401, "password"), ...accepted]],
  ["the gateway returned 503; 2 accepted since", true, [called("eventSink", 5, 503), ...accepted]],
  ["1 of 1 event failed in 24 h, the last 3 h ago", false, [called("eventSink", 180, 401, "password")]],
  ["3 events in 24 h, the newest 1 h", true, [300, 200, 61].map((age) => called("eventSink", age, 204))],
  [
    "no event in the last 24 h; 1 request refused because of",
    undefined,
    [called("eventSink", 5, 401, "username")],
  ],
])("The line Event sink says %s, and is good: %s", async (found, isOk, lines) => {
  const finding = await findingOf(work.checkEventSink, reading({}, { lines }));
  expect(finding).toMatchObject({ isOk, found: expect.stringContaining(found) });
});

test.each([
  { outcomes: "+", isOver: true },
  { outcomes: "---+", isOver: true },
  // Two of three fail: two successes in a row may be chance.
  { outcomes: "-+--+-++", isOver: false },
  { outcomes: "+-+--+-+++", isOver: true },
])("Failures of work that went $outcomes are over: $isOver", ({ outcomes, isOver }) => {
  const lines = outcomes.split("").map((outcome) => ({ time: "", fields: { outcome } }));
  expect(historyOf(lines, ({ fields }) => fields["outcome"] === "-").isOver).toBe(isOver);
});

const responding = { seconds: 0.1, failure: undefined };
const failuresOf = (event: string) =>
  ["ETIMEDOUT", "ECONNRESET"].map((message, index) => ({
    time: minutesAgo(2 - index),
    fields: { event, causes: [{ message }] },
  }));
const unconnected = { TimeGenerated: minutesAgo(5), PlatformConnected: false, AvailableRooms: null };
const connected = { ...unconnected, PlatformConnected: true, AvailableRooms: 3 };

interface PlatformRow extends Finding {
  readonly probe?: { readonly seconds: number; readonly failure: unknown };
  readonly row?: object;
  readonly lines?: LogLine[];
}

test.each<PlatformRow>([
  { probe: responding, isOk: true, found: "connected" },
  { probe: responding, row: connected, isOk: true, found: "connected" },
  { row: connected, isOk: true, found: "connected, as the app saw it" },
  { probe: responding, row: unconnected, lines: [create(1, 503), create(1)], isOk: true, found: "connected" },
  {
    probe: responding,
    row: unconnected,
    lines: [create(1, 503), { ...create(1), time: minutesAgo(6) }, ...failuresOf("measurement-failed")],
    isOk: false,
    found: "connected from here, but the app did not reach it 5 min ago: ECONNRESET",
  },
  { row: unconnected, isOk: false, found: "the app did not reach it 5 min ago" },
  { row: { ...connected, AvailableRooms: null }, isOk: false, found: "the app did not reach it 5 min ago" },
  { isOk: undefined, found: "unknown" },
  {
    probe: { seconds: 0.1, failure: Object.assign(new Error(), { status: 429 }) },
    isOk: false,
    found: "throttles (429)",
    advice: "docs/operations.md#platform-slow",
  },
])("Platform: says $found, given $row and $lines", async ({ probe, row, lines = [], ...finding }) => {
  const read = reading({}, { lines, rows: row ? [{ ...row }] : [] });
  expect(await findingOf(dependency.checkPlatform, { ...read, probe: async () => probe })).toMatchObject(
    finding,
  );
});

/** What a check reads besides what is calm. */
interface Given {
  readonly row?: Partial<Metrics["row"]>;
  readonly own?: Partial<OwnMetrics>;
  readonly lines?: readonly LogLine[];
  /** Those of the deployment's alerts. */
  readonly limits?: Target["limits"];
  /** The app's newest metrics row, of a minute ago unless it says another time. */
  readonly newest?: Record<string, unknown>;
  readonly settings?: Target["settings"];
}

/** What it then finds. */
interface Row extends Given {
  readonly isOk?: boolean;
  /** A part of what it finds. */
  readonly found: string;
  /** Its whole advice, which some rows leave out. */
  readonly advice?: string;
}

function readingOfGiven({ row, own, lines = [], newest, ...changes }: Given): Read {
  const calm = calmMetrics(clock.now());
  const metrics = async () => ({ row: { ...calm.row, ...row }, own: { ...calm.own, ...own } });
  const rows = newest ? [{ TimeGenerated: minutesAgo(1), ...newest }] : [];
  return { ...reading({ gatewayUrl: gatewayUrl(), ...changes }, { lines, rows }), metrics };
}

async function expectFinding(check: Check, { isOk, found, advice, ...given }: Row) {
  const finding = await findingOf(check, readingOfGiven(given));
  expect(finding).toMatchObject({ isOk, found: expect.stringContaining(found) });
  expectAdvice(finding.advice, advice, isOk === false);
}

/** Compares the whole advice, because its end may have a command. */
function expectAdvice(given: string | undefined, expected: string | undefined, isNeeded: boolean) {
  expect(expected === undefined ? given !== undefined : given).toBe(expected ?? isNeeded);
}

const names = { total: 10, missing: 0, foreign: 0, contradiction: undefined };
const low = "it is low: docs/operations.md#pool-low";
const lowSoFill = "it is low: npm run ops -- fill; docs/operations.md#pool-low";
const empty = "creates return 404: docs/operations.md#pool-empty-on-claim";
const emptySoFill = "creates return 404: npm run ops -- fill; docs/operations.md#pool-empty-on-claim";
const contradicting = { poolNames: { ...names, contradiction: "a look-up by name does not find room-1" } };

test.each<Row>([
  { row: { PoolMinimum: 5 }, isOk: true, found: "10 of 50 rooms, minimum 5" },
  { row: { PoolDepth: 50 }, isOk: true, found: "50 of 50 rooms" },
  { row: { PoolDepth: 9 }, isOk: false, found: "9 of 50 rooms", advice: lowSoFill },
  { row: { PoolDepth: 9, ProvisioningDepth: 41 }, isOk: false, found: "9 of 50 rooms", advice: low },
  {
    row: { PoolDepth: 9, ProvisioningDepth: 40 },
    isOk: false,
    found: "9 of 50 rooms",
    advice: lowSoFill,
  },
  { row: { PoolDepth: 0, ProvisioningDepth: 50 }, isOk: false, found: "0 of 50 rooms", advice: empty },
  { row: { PoolDepth: 0 }, isOk: false, found: "0 of 50 rooms", advice: emptySoFill },
  // Callers would use up new rooms, too.
  { row: { PoolDepth: 9 }, own: contradicting, isOk: false, found: "9 of 50 rooms", advice: low },
  { row: { PoolDepth: 0 }, own: contradicting, isOk: false, found: "0 of 50 rooms", advice: empty },
  // The pool is switched off: nobody creates a room, or somebody does.
  { row: { PoolDepth: 0, MaximumRooms: 0 }, isOk: true, found: "0 of 0 rooms" },
  {
    row: { MaximumRooms: 0 },
    lines: [create(1, 404)],
    isOk: false,
    found: "10 of 0 rooms: switched off",
    advice: "set MAX_VMR: docs/operations.md#pool-empty-on-claim",
  },
  {
    row: { PoolDepth: 52, MaximumRooms: 48 },
    isOk: true,
    found: "52 of 48 rooms",
    advice: "4 more than MAX_VMR, which does no harm: npm run ops -- shrink 48",
  },
  { row: { PoolDepth: 1, MaximumRooms: null }, isOk: true, found: "1 of ? rooms" },
  { row: { PoolDepth: null }, found: "unknown" },
])("Pool: given $row, says $found", async (row) => expectFinding(pool.checkPool, row));

test.each<Row & { readonly seconds: number }>([
  { seconds: 30, isOk: true, found: "2 rooms requested" },
  {
    seconds: 31,
    isOk: false,
    found: "2 rooms requested, one for 31 s",
    advice:
      "does the platform fail to make rooms in time, or is provisionRoom disabled? docs/operations.md#provisioning-failing",
  },
])("Requests: one waits for $seconds s: $found", async ({ seconds, ...row }) => {
  const waiting = { row: { ProvisioningDepth: 2 }, own: { oldestRequestSeconds: seconds } };
  await expectFinding(pool.checkRequests, { ...row, ...waiting });
});

const ofRoom = (room: string, event: string, minutes: number): LogLine => ({
  time: minutesAgo(minutes),
  fields: { event, room, failure: `failure of ${room}` },
});
const failing = ofRoom("a", "deletion-failed", 30);
const failingToo = ofRoom("b", "deletion-failed", 25);
const gone = ofRoom("a", "room-deleted", 20);
const kept = ofRoom("a", "deletion-skipped", 20);
const deletedWithin = (seconds: number) => ({ ...defaultLimits, "deletion-queue-old": { seconds } });

test.each<Row>([
  { row: {}, isOk: true, found: "2 rooms waiting, the oldest for 11 min" },
  { row: { DeletionOldestSeconds: 661 }, isOk: false, found: "the collector has not run for 15 min" },
  { row: {}, limits: deletedWithin(660), isOk: true, found: "the oldest for 11 min" },
  { row: {}, limits: deletedWithin(659), isOk: false, found: "oldest for 11 min" },
  { row: { DeletionOldestSeconds: null }, isOk: true, found: "2 rooms waiting, none of them due" },
  { row: {}, lines: [failing], isOk: false, found: "; 1 room failed: failure of a" },
  // A failure is over when that room is deleted or kept.
  { row: {}, lines: [failing, gone], isOk: true, found: "2 rooms" },
  { row: {}, lines: [failing, kept], isOk: true, found: "2 rooms" },
  { row: {}, lines: [failing, failingToo, gone], isOk: false, found: "; 1 room failed: failure of b" },
  { row: { DeletionDepth: 0 }, lines: [failing], isOk: true, found: "0 rooms" },
  { row: { DeletionDepth: null }, found: "unknown" },
])("Deletion: given $row, says $found", async (row) => expectFinding(pool.checkDeletion, row));

test("Deletion: is judged by the age of its messages alone if the log cannot be read", async () => {
  const { target, ...read } = readingOfGiven({ limits: deletedWithin(659) });
  const log = { ...target.log, lines: async () => Promise.reject(new Error("no access")) };
  const found = "2 rooms waiting, the oldest for 11 min; what the app logged is unknown";
  const finding = await findingOf(pool.checkDeletion, { ...read, target: { ...target, log } });
  expect(finding).toMatchObject({ isOk: false, found });
});

const restored =
  "after a restore of the platform: docs/deployment.md#upgrading-or-restoring-the-platform; docs/operations.md#names-without-rooms";
const drop = `creates drop these names; ${restored}`;
const shrink = `npm run ops -- shrink 0 --yes, then fill; ${restored}`;
const changed = "3 made with other settings: docs/operations.md#changing-the-room-template";
const lacking = (missing: number) => ({ poolNames: { ...names, missing } });
const ofOthers = (foreign: number) => ({ poolNames: { ...names, foreign } });
const setBack = "before the first create, set GATEWAY_NAME back; docs/operations.md#names-without-rooms";

test.each<Row>([
  { row: {}, isOk: true, found: "10 pooled, 1 assigned, 1 live conference" },
  { row: { AvailableRooms: null }, found: "unknown" },
  { row: { AvailableRooms: 8 }, isOk: true, found: "8 pooled, 1 assigned" },
  { row: { InUseRooms: null }, found: "unknown" },
  { row: { AvailableRooms: 7 }, found: "; 10 names in the pool" },
  { row: { PoolDepth: 5, AvailableRooms: 3 }, found: "; 5 names in the pool" },
  { row: {}, own: lacking(1), isOk: true, found: "10 pooled" },
  { row: {}, own: lacking(2), isOk: false, found: "2 of 10 names", advice: drop },
  { row: {}, own: lacking(5), isOk: false, found: "5 of 10 names", advice: drop },
  { row: {}, own: lacking(6), isOk: false, found: "6 of 10 names", advice: shrink },
  { row: {}, own: ofOthers(1), isOk: true, found: "10 pooled" },
  { row: {}, own: ofOthers(2), isOk: false, found: "2 of 10 names in the pool are of", advice: setBack },
  { row: { AvailableRooms: 7, ProvisioningDepth: 1 }, isOk: true, found: "7 pooled" },
  { row: { PoolDepth: 1, AvailableRooms: 0 }, isOk: true, found: "0 pooled" },
  { row: {}, newest: { OutdatedRooms: 3 }, isOk: true, found: "10 pooled", advice: changed },
])("Rooms: given $row, says $found", async (row) => expectFinding(pool.checkRooms, row));

const orphaned = ["a", "b", "c", "d"].map(
  (room) => ({ room, reason: "assigned-too-long", ageHours: 30 }) as const,
);
const advice = "npm run ops -- unaccounted; docs/operations.md#rooms-unaccounted";
const unnamed = "rooms marked as pooled, but in no queue";

interface UnaccountedRow extends Row {
  readonly total: number | null;
  /** Why three rooms were discarded lately, or `none`. */
  readonly reason: string;
}

test.each<UnaccountedRow>([
  { total: null, reason: "none", found: "unknown" },
  { total: 0, reason: "none", isOk: true, found: "none" },
  { total: 5, reason: "none", own: { orphaned }, isOk: false, found: "5 rooms: a, b, c, 2 more" },
  {
    total: 2,
    reason: "none",
    own: { orphaned: orphaned.slice(2) },
    isOk: true,
    found: "2 rooms: c, d; 3",
    advice,
  },
  { total: 2, reason: "none", isOk: true, found: `2 ${unnamed}; 3 need attention`, advice },
  { total: 5, reason: "none", isOk: false, found: `5 ${unnamed}` },
  { total: 5, reason: "assignment-unknown", found: `5 ${unnamed}, which may be among those that wait` },
  { total: 6, reason: "assignment-unknown", isOk: false, found: `6 ${unnamed}` },
  // These queue no room for its deletion.
  { total: 5, reason: "room-missing", isOk: false, found: `5 ${unnamed}` },
  { total: 5, reason: "other-gateway", isOk: false, found: `5 ${unnamed}` },
])("Unaccounted: given $total rooms and $reason, says $found", async ({ total, reason, ...row }) => {
  const discarded = { time: minutesAgo(1), fields: { event: "room-discarded", reason } };
  const lines: LogLine[] = reason === "none" ? [] : Array(3).fill(discarded);
  await expectFinding(pool.checkUnaccounted, { ...row, lines, row: { UnaccountedRooms: total } });
});

test.each([
  { check: pool.checkRequests, row: { ProvisioningDepth: null } },
  { check: pool.checkPoison, row: { PoisonDepth: null } },
  { check: pool.checkAlarms, row: { AlarmCount: null } },
])("The finding of `$check.name` is unknown without its column", async ({ check, row }) =>
  expectFinding(check, { row, found: "unknown" }),
);

const handedOut = (amount: number, minutes: number) =>
  Array.from({ length: amount }, (_, number) => ({
    name: `room-${minutes}-${number}`,
    marker: { gateway: "vmr-gateway", state: "assigned", since: minutesAgo(minutes) } as const,
  }));
const pooledFor = (minutes: number, amount = 1) =>
  handedOut(amount, minutes).map(({ name, marker }) => ({
    name,
    marker: { ...marker, state: "pooled" } as const,
  }));
const silentRooms = (rooms: number) => ({
  ...defaultLimits,
  "event-sink-silent": { rooms, percentOfClaims: 25 },
});
const limits = silentRooms(3);
const claims = (amount: number): LogLine[] =>
  Array(amount).fill({ time: minutesAgo(30), fields: { event: "room-claimed" } });

// One of these rooms has a conference, and two wait for their deletion.
test.each<Row>([
  { own: { rooms: handedOut(7, 119) }, limits: silentRooms(4), found: "no event" },
  { own: { rooms: handedOut(7, 119) }, limits, isOk: false, found: "; 4 rooms were handed out in 2 h" },
  { own: { rooms: handedOut(7, 119) }, lines: claims(15), limits, isOk: false, found: "; 4 rooms were" },
  // Most rooms are reported.
  { own: { rooms: handedOut(7, 119) }, lines: claims(16), limits, found: "no event" },
  // Their callers are about to join.
  { own: { rooms: handedOut(50, 14) }, limits, found: "no event" },
  { own: { rooms: handedOut(7, 15) }, limits, isOk: false, found: "; 4 rooms were" },
  // Nobody has joined these, and nobody has the pooled ones.
  { own: { rooms: [...handedOut(3, 119), ...handedOut(50, 121)] }, limits, found: "no event" },
  { own: { rooms: [...handedOut(3, 119), ...pooledFor(119, 50)] }, limits, found: "no event" },
  { own: { rooms: handedOut(7, 119) }, row: { LiveConferences: null }, limits, found: "no event" },
  { own: { rooms: handedOut(7, 119) }, row: { DeletionDepth: null }, limits, found: "no event" },
])(
  "Event sink: compares the rooms that were handed out lately with the limits, and says $found",
  async (row) => expectFinding(work.checkEventSink, row),
);

test("Event sink: does not count rooms whose deletion the platform confirmed", async () => {
  const fields = { event: "room-deleted", room: loggableName("room-119-0") };
  const lines = [{ time: minutesAgo(30), fields }];
  await expectFinding(work.checkEventSink, {
    own: { rooms: handedOut(7, 119) },
    lines,
    limits,
    found: "no event",
  });
});

test("Unaccounted: only has the number if the operator has no account for the platform", async () => {
  const read = withNewestRow({ UnaccountedRooms: 5 });
  expect(await findingOf(pool.checkUnaccounted, read)).toEqual({ isOk: false, found: "5 rooms", advice });
});

const lost: Given = { row: { UnaccountedRooms: 3 } };
const contradicted = "1 room handed out and still marked as pooled";

test.each<[string, string, number, OwnMetrics["rooms"]?]>([
  ["a minute before its marker was written", "3 rooms", 31],
  ["a minute later, and is marked as assigned", "3 rooms", 29, handedOut(1, 30)],
  ["a minute later", contradicted, 29],
  ["11 s before the rooms were listed", contradicted, 11 / 60],
  ["10 s before the rooms were listed", "3 rooms", 10 / 60],
])("Given a room that was handed out %s, Unaccounted says %s", async (...given) => {
  const [, found, minutes, rooms = pooledFor(30)] = given;
  const fields = { event: "room-claimed", room: loggableName("room-30-0") };
  const row = { ...lost, own: { rooms }, lines: [{ time: minutesAgo(minutes), fields }] };
  await expectFinding(pool.checkUnaccounted, { ...row, isOk: false, found });
});

const ofFour = { row: { UnaccountedRooms: 4 }, own: { orphaned } };
const queuedAnd = (...names: string[]) => [
  ...names,
  ...Array.from({ length: 32 - names.length }, () => "other"),
];
const fourPooled = { ...ofFour, own: { rooms: pooledFor(90, 4) } };
const mayWait = ", which may be among those that wait for deletion";
test.each<Row>([
  // The cure has been begun.
  { ...ofFour, own: { orphaned, queued: ["a", "b", "c", "d"] }, isOk: true, found: "; 4 of them wait" },
  { ...ofFour, own: { orphaned, queued: ["a"] }, isOk: false, found: "; 1 of them wait for deletion" },
  {
    ...ofFour,
    own: { orphaned, queued: ["a", "b"] },
    isOk: true,
    found: "4 rooms: a, b, c, 1 more; 2 of them wait for deletion",
    advice,
  },
  {
    ...fourPooled,
    own: { ...fourPooled.own, queued: ["room-90-0", "room-90-1"] },
    isOk: true,
    found: `4 ${unnamed}; 2 of them wait for deletion`,
    advice,
  },
  // The queue shows no more than 32 messages.
  {
    row: { ...ofFour.row, DeletionDepth: 34 },
    own: { orphaned, queued: queuedAnd() },
    found: `1 more${mayWait}`,
  },
  {
    row: { ...ofFour.row, DeletionDepth: 33 },
    own: { orphaned, queued: queuedAnd() },
    isOk: false,
    found: "",
  },
  {
    row: { ...ofFour.row, DeletionDepth: 33 },
    own: { orphaned, queued: queuedAnd("a") },
    found: `; 1 of them wait for deletion${mayWait}`,
  },
  {
    row: { ...ofFour.row, DeletionDepth: 34 },
    own: { orphaned, queued: queuedAnd().slice(1) },
    isOk: false,
    found: "1 more",
  },
])("Unaccounted: given $own.queued in the deletion queue, says $found", async (row) =>
  expectFinding(pool.checkUnaccounted, row),
);

const created = { event: "request", function: "createRoomFromQueue" };
const about = (event: string, room: string) => ({ event, room: loggableName(room) });
const silent: Given = { own: { rooms: handedOut(7, 119) }, limits };

/** For how many minutes a check counts a line with these fields, and what else it needs to be given. */
type Counted = readonly [Check, minutes: number, by: LogLine["fields"], (Given & { amount?: number })?];
const counted: readonly Counted[] = [
  [work.checkCreates, 15, created],
  [work.checkCallers, 60, created],
  [work.checkOtherCalls, 15, { event: "request", function: "getRoom" }],
  [work.checkProvisioning, 15, { event: "provisioning-failed" }],
  [work.checkProvisioning, 15, { event: "room-provisioned" }],
  [work.checkEventSink, 24 * 60, { event: "request", function: "eventSink" }],
  [work.checkEventSink, 120, { event: "room-claimed" }, { ...silent, amount: 16 }],
  [work.checkEventSink, 60, about("room-deleted", "room-119-0"), silent],
  [work.checkMetrics, 30, { event: "metrics-collected" }, { newest: {} }],
  [work.checkMetrics, 60, { event: "metrics-run-failed" }, { newest: { TimeGenerated: minutesAgo(16) } }],
  [pool.checkPool, 15, { ...created, status: 500 }, { row: { MaximumRooms: 0 } }],
  [pool.checkDeletion, 360, { event: "deletion-failed" }],
  [pool.checkDeletion, 60, about("room-deleted", "room-90-0"), { own: { rooms: handedOut(1, 90) } }],
  [pool.checkDeletion, 15, { function: "collectGarbage" }, { row: { DeletionOldestSeconds: 661 } }],
  [pool.checkUnaccounted, 30, { event: "claim-lost" }, lost],
  [pool.checkUnaccounted, 30, { event: "room-discarded" }, lost],
  [pool.checkUnaccounted, 30, { ...about("deletion-skipped", "a"), reason: "young" }, ofFour],
  [pool.checkUnaccounted, 60, about("room-claimed", "room-90-0"), { ...lost, own: { rooms: pooledFor(90) } }],
  [dependency.checkStorage, 60, { event: "storage-unavailable" }],
  [dependency.checkTokenIssuer, 60, { event: "signing-keys-stale" }],
  [dependency.checkContactCentre, 60, { event: "contact-centre-unavailable" }],
  [dependency.checkPlatform, 60, { event: "measurement-failed" }, { newest: unconnected }],
  [dependency.checkSpeed, 15, created],
  [dependency.checkGateway, 60, { event: hostFailureEvent }],
];

test.each(
  counted.map(([check, minutes, by, given]) => ({ check, minutes, kind: Object.values(by)[0], by, given })),
)(
  "`$check.name` counts lines of $kind for $minutes min, and no older or other ones",
  async ({ check, minutes, by, given: { amount = 1, ...given } = {} }) => {
    statuses = { user: 401 };
    const urls = { AUTH_AUTHORITY: issuer.url, CONTACT_CENTRE_API_URL: app.url };
    const settings = loadSettings({ ...exampleEnvironment, ...urls });
    const others = { status: 200, durationMilliseconds: 1000, message: "a", causes: [{ message: "a" }] };
    const textOf = async (lines: LogLine[]) =>
      JSON.stringify(await check(readingOfGiven({ settings, ...given, lines })));
    const findingWith = async (age: number, fields: LogLine["fields"]) =>
      textOf(Array(amount).fill({ time: minutesAgo(age), fields: { ...others, ...fields } }));
    const none = await textOf([]);
    expect(await findingWith(minutes, by)).not.toBe(none);
    expect(await findingWith(minutes + 1, by)).toBe(none);
    for (const name of Object.keys(by)) expect(await findingWith(0.5, { ...by, [name]: "other" })).toBe(none);
  },
);

const withSettings = (settings: Record<string, string>) =>
  reading({ settings: loadSettings({ ...exampleEnvironment, ...settings }) });
const misspelt = withSettings({ GIVEN_SETTING_NAMES: "MAX_VMR,MAX_VRM,POOL_MINIMUN" });
const dialling = withSettings({ ROOM_TEMPLATE: '{"automatic_participants": []}' });
const withoutSecrets = reading({ unresolvedSecrets: async () => ["ONE", "TWO"] });
const runsFailed = reading({}, { lines: failuresOf("metrics-run-failed") });
const fiveReads = [15, 15, 15, 15, 5].map((minutes) => called("getRoom", minutes, 500));
const provisioned = reading({}, { lines: [{ time: minutesAgo(2), fields: { event: "room-provisioned" } }] });
const readsFail = reading({}, { lines: [create(1, 500), create(1, 422), ...fiveReads] });
const failsAtPatch = { platformMethod: "PATCH", platformStatus: 500 };
const paused = [failsAtPatch, { code: "platform-unavailable" }].map((each) =>
  withFields(create(1, 503), each),
);
const stillListed = readingOfGiven({
  own: { rooms: handedOut(1, 90) },
  lines: [{ time: minutesAgo(30), fields: about("room-deleted", "room-90-0") }],
});
const rowOfAge = (minutes: number, event = "metrics-collected") =>
  readingOfGiven({
    newest: { TimeGenerated: minutesAgo(minutes) },
    lines: [{ time: minutesAgo(minutes), fields: { event } }],
  });

test.each<{ check: Check; read: Read; isOk: boolean | undefined; found: string; advice?: string }>([
  { check: dependency.checkVersion, read: withNewestRow({ Version: version }), isOk: true, found: version },
  {
    check: dependency.checkVersion,
    read: withNewestRow({ Version: "0.0.1" }),
    isOk: false,
    found: "0.0.1",
    advice: "use the commands of the version that is deployed: git checkout v<version>",
  },
  { check: dependency.checkVersion, read: reading(), isOk: true, found: "the app is unknown" },
  { check: work.checkMetrics, read: rowOfAge(15), isOk: true, found: "the last row is 15 min old" },
  {
    check: work.checkMetrics,
    read: rowOfAge(1, "room-claimed"),
    isOk: false,
    found:
      "the last row is 1 min old, but no run of 30 min is in the log: trust no line about calls and events",
    advice: "docs/operations.md#log-silent",
  },
  { check: work.checkMetrics, read: rowOfAge(16), isOk: false, found: "the last row is 16 min old" },
  { check: work.checkMetrics, read: rowOfAge(24 * 60 + 1), isOk: false, found: "no row in the last day" },
  { check: work.checkMetrics, read: rowOfAge(-1), isOk: true, found: " old" },
  { check: work.checkMetrics, read: rowOfAge(-2), isOk: false, found: "the app's clock is 2 min ahead of" },
  { check: work.checkMetrics, read: runsFailed, isOk: false, found: "; a run failed: ECONNRESET" },
  {
    check: pool.checkDeletion,
    read: stillListed,
    isOk: false,
    found: "still lists 1 room that it confirmed",
  },
  {
    check: work.checkCreates,
    read: reading({}, { lines: paused }),
    isOk: false,
    found: "PATCH (500), so changes are",
  },
  { check: work.checkCreates, read: readsFail, isOk: false, found: "1 of 1 create failed in 15 min" },
  {
    check: work.checkOtherCalls,
    read: readsFail,
    isOk: false,
    found: "5 of 5 calls failed in 15 min, the last 5 min ago: ",
  },
  {
    check: work.checkProvisioning,
    read: provisioned,
    isOk: true,
    found: "1 attempt in 15 min, the newest 2 min ago, all provisioned",
  },
  { check: pool.checkAlarms, read: readingOfGiven({}), isOk: true, found: "none" },
  {
    check: dependency.checkSettings,
    read: misspelt,
    isOk: false,
    found: "unknown: MAX_VRM, POOL_MINIMUN",
    advice: "correct the name in GATEWAY_SETTINGS, or use the commands of the version that is deployed",
  },
  {
    check: dependency.checkSettings,
    read: withoutSecrets,
    isOk: false,
    found: "cannot read the secrets ONE, TWO",
    advice: "set them in the vault, then: sh infra/deploy.sh reload <environment>",
  },
  {
    check: dependency.checkSettings,
    read: withSettings({}),
    isOk: undefined,
    found: "so a new room dials nobody",
  },
  { check: dependency.checkSettings, read: dialling, isOk: true, found: "the app accepts them" },
])("The finding of `$check.name` is: $found", async ({ check, read, isOk, found, advice }) => {
  const finding = await findingOf(check, read);
  expect(finding).toMatchObject({ isOk, found: expect.stringContaining(found) });
  expectAdvice(finding.advice, advice, isOk !== true);
});
