/** Situations of a gateway, as rows of its log, in which an alert fires or is silent. */
import type { Row } from "../kusto-rows.ts";
import { lastOf, onlyOf, snapshotOf } from "./snapshots.ts";

const production = snapshotOf("production");
export const appName = onlyOf(production, "Web/sites").name;

export const now = Date.parse("2026-11-21T12:00:00Z");
const own = {
  AppRoleName: appName,
  App: appName,
  Name: `${appName}-health`,
  ApiId: lastOf(onlyOf(production, "ApiManagement/service/apis").id),
};
export const ofOthers = { AppRoleName: "x", App: "x", Name: "x", ApiId: "x" };
export const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
/** The newest and the oldest ones are odd. */
const some = <T>(count: number, of: number, odd: T, usual: T) => [
  odd,
  ...times(of - count, usual),
  ...times(count - 1, odd),
];
/** Rows of a table, the newest first. Each is so many minutes older than the one before. */
const rowsOf = (Type: string, minutesBetween: number, rows: readonly object[]): Row[] =>
  rows.map((row, index) => {
    const TimeGenerated = now - 1 - index * minutesBetween * 60_000;
    return { ...own, Type, TimeGenerated, ...row };
  });
/** The same rows, so many minutes older. */
const before = (minutes: number, rows: readonly Row[]): Row[] =>
  rows.map((row) => ({ ...row, TimeGenerated: Number(row["TimeGenerated"]) - minutes * 60_000 }));
const metrics = (...rows: object[]) => rowsOf("VmrGatewayMetrics_CL", 5, rows);
/** Calls within 14 minutes. */
const requests = (...rows: object[]) => rowsOf("AppRequests", 14 / rows.length, rows);
const calls = (...rows: object[]) => rowsOf("ApiManagementGatewayLogs", 14 / rows.length, rows);
const checks = (minutesBetween: number, ...rows: object[]) =>
  rowsOf("AppAvailabilityResults", minutesBetween, rows);
const traces = (minutesBetween: number, ...entries: object[]) =>
  rowsOf(
    "AppTraces",
    minutesBetween,
    entries.map((entry) => ({ Message: JSON.stringify(entry) })),
  );

export const create = { event: "request", function: "createRoomFromQueue", status: 200 };
const refused = { ...create, status: 401, reason: "audience" };
const badTag = { ...create, status: 422, code: "invalid-request" };
const noToken = { ...create, status: 401, reason: "no-token" };
const read = { event: "request", function: "getPublicRoom", status: 200 };
const refusedRead = { ...read, status: 401, code: "unauthenticated", reason: "refused-by-contact-centre" };
const forbiddenRead = { ...read, status: 403, reason: "division" };
const sentByAnybody = ["no-token", "malformed", "unknown-key", "signature", "refused-by-contact-centre"];
const inFront = ["TokenNotPresent", "JwtInvalid", "TokenSignatureKeyNotFound", "TokenSignatureInvalid"];
const uncheckedRead = { ...read, status: 503, code: "contact-centre-unavailable" };
const tenNames = Array.from({ length: 10 }, (_, index) => `room-${index}`);
const missed = (room: string) => ({ ...read, status: 404, code: "room-not-found", room });
/** Within an hour, ten rooms are handed out, and agents ask for the same names in lower case. */
const tenClaimed = traces(
  6,
  ...tenNames.map((room) => ({ event: "room-claimed", room: room.toUpperCase() })),
);
const tenMissed = [...tenClaimed, ...traces(6, ...tenNames.map(missed))];
const empty = { event: "pool-empty" };
const failed = { event: "provisioning-failed" };
const refusedInFront = { OperationId: "create-room", ResponseCode: 401, LastErrorReason: "JwtExpired" };
const failedCreateCall = { OperationId: "create-room", ResponseCode: 500 };
const createCall = (ResponseCode: number, BackendResponseCode?: number) => {
  return { OperationId: "create-room-from-queue", ResponseCode, BackendResponseCode };
};
const servedInFront = createCall(200, 200);
const timedOut = createCall(504);
const failedCall = { OperationId: "get-room", ResponseCode: 500 };
const servedCall = { OperationId: "get-room", ResponseCode: 200 };
const failedCreate = { OperationName: "createRoom", ResultCode: "503" };
const servedCreate = { OperationName: "createRoomFromQueue", ResultCode: "200" };
const poolEmpty = { OperationName: "createRoom", ResultCode: "404" };
const failedRead = { OperationName: "getRoom", ResultCode: "500" };
const servedRead = { OperationName: "getRoom", ResultCode: "200" };
const timerRun = { OperationName: "collectMetrics", ResultCode: "0" };
const noResponse = { Success: false };
const response = { Success: true };
const unreached = { PlatformConnected: false };
const notListed = { PlatformConnected: true };
const reached = { PlatformConnected: true, AvailableRooms: 0 };
const stopped = { AlarmNames: "connectivity_lost,eventsink_maximum_backoff" };
const metricsAfter = (minutes: number) => [...metrics(ofOthers), ...before(minutes, metrics({}))];
const collected = { event: "metrics-collected" };
const ofOtherApp = (row: Row): Row => ({ ...row, ...ofOthers });
/** Two hours with claims. So many rooms wait for a conference, by the minutes that have passed since. */
const rooms = (claims: number, waiting: (minutesAgo: number) => number): Row[] => {
  const rows = times(24, { LiveConferences: 100, DeletionDepth: 30 });
  const measured = rows.map((row, index) => ({ ...row, InUseRooms: 130 + waiting(5 * index) }));
  return [...metrics(...measured), ...traces(0, ...times(claims, { event: "room-claimed" }))];
};
/** So many runs found the pool empty, and so many rooms in it before. */
const emptyPool = (runs: number, before: number, MaximumRooms = 50) =>
  metrics(...times(runs, { PoolDepth: 0, MaximumRooms }), ...times(before, { PoolDepth: 9, MaximumRooms }));
/** Rows of calls within 23 hours, with so many bytes in each of three tables. */
const logged = (_BilledSize: number): Row[] =>
  ["AppTraces", "AppRequests", "ApiManagementGatewayLogs"].flatMap((table) =>
    rowsOf(table, 23 * 60, times(2, { _BilledSize: _BilledSize / 2 })),
  );
const growing = (minutesAgo: number) => 120 - minutesAgo;

export const firing: Readonly<Record<string, readonly Row[]>> = {
  "agents-refused fires if the contact centre refuses all ten agents": traces(
    1.5,
    ...times(10, refusedRead),
    noToken,
    { ...read, status: 401, reason: "malformed" },
    uncheckedRead,
    create,
  ),
  "callers-refused fires if five creates are refused": traces(
    14,
    ...times(4, refused),
    { ...refused, status: 403 },
    create,
  ),
  "callers-refused fires if five creates have a bad tag": traces(1, ...times(5, badTag), create),
  "callers-refused fires if five agents are refused": traces(1, ...times(5, forbiddenRead)),
  "callers-refused fires if five are refused in front, and one more by a rate limit": calls(
    { ...refusedInFront, ResponseCode: 429, LastErrorReason: "RateLimitExceeded" },
    ...times(5, refusedInFront),
  ),
  "creates-failing fires if five of 250 creates fail": requests(...some(5, 250, failedCreate, servedCreate)),
  "creates-failing-in-front fires if five of 250 creates time out in front of the app": calls(
    ...some(5, 250, timedOut, servedInFront),
  ),
  "creates-failing-in-front fires if a policy fails after the app has served the creates": calls(
    ...times(5, createCall(500, 200)),
  ),
  "creates-throttled fires if five of 250 creates are refused by a rate limit": calls(
    ...some(5, 250, createCall(429), servedInFront),
  ),
  "deletion-queue-old fires if a room waited for 3,601 s, and no run has measured for 29 minutes": before(
    29,
    metrics({ DeletionOldestSeconds: 3601 }),
  ),
  "event-sink-silent fires if no ends are reported after busier hours": [
    ...rooms(350, growing),
    ...before(180, traces(0, ...times(300, { event: "room-claimed" }))),
  ],
  "event-sink-silent fires if half of the ends of a small service are lost": rooms(12, (minutesAgo) =>
    minutesAgo < 60 ? 6 : 0,
  ),
  "event-sink-silent fires if a node stops": metrics(stopped, stopped),
  "health-check-failing fires if two places fail, and the third works no more": checks(
    4,
    ...times(4, noResponse),
  ),
  "log-silent fires if three rows came in half an hour, and no line of their runs": [
    ...rowsOf("VmrGatewayMetrics_CL", 14, times(3, reached)),
    ...traces(1, collected).map(ofOtherApp),
    ...traces(1, create),
  ],
  "log-volume fires if calls write more than five gigabytes a day": logged(1_667_000_000),
  "platform-alarms fires if licences are exhausted": metrics({
    AlarmNames: "connectivity_lost,licenses_exhausted",
  }),
  "platform-alarms fires if capacity was exhausted, and no run has measured for 29 minutes": before(
    29,
    metrics({ AlarmNames: "capacity_exhausted,connectivity_lost" }),
  ),
  "platform-unreachable fires if two of three runs fail": metrics(unreached, reached, notListed),
  "poison-messages fires if the host gave up a request, and no run has measured for 29 minutes": before(
    29,
    metrics({ PoisonDepth: 1 }),
  ),
  "pool-empty fires if the pool is empty for half an hour, in which one of six runs is missing": emptyPool(
    6,
    24,
  ).toSpliced(2, 1),
  "pool-empty-on-claim fires if callers wait for 15 minutes": traces(5, ...times(4, empty)),
  "provisioning-failing fires if five requests fail in half an hour": traces(7, ...times(5, failed)),
  "rooms-not-found fires if agents find no room under ten names within an hour": [
    ...tenMissed,
    ...before(61, traces(0, { ...read, room: "room-x" })),
  ],
  "server-errors fires if five of 250 calls fail": calls(...some(5, 250, failedCall, servedCall)),
  "server-errors-of-app fires if five of 250 calls fail": requests(
    ...some(5, 250, failedRead, servedRead),
    timerRun,
  ),
  "signing-keys-stale fires if signing keys could not be fetched 59 minutes ago": traces(59, create, {
    event: "signing-keys-stale",
  }),
  "timers-not-running fires if the newest row is 31 minutes old": metricsAfter(31),
  "timers-not-running fires if the newest row is a day old": metricsAfter(24 * 60),
};

export const silent: Readonly<Record<string, readonly Row[]>> = {
  "agents-refused is silent if nine agents are refused": traces(1, ...times(9, refusedRead), create),
  "agents-refused is silent if agents of another division call": traces(1, ...times(10, forbiddenRead)),
  "agents-refused is silent if one agent is served": traces(1, ...times(13, refusedRead), read),
  "agents-refused is silent if no token can be checked": traces(1, ...times(14, uncheckedRead)),
  "callers-refused is silent if one of five creates is served": traces(1, create, ...times(9, refused)),
  "callers-refused is silent if three creates and two agents are refused": traces(
    1,
    ...times(3, refused),
    ...times(2, forbiddenRead),
  ),
  "callers-refused is silent if anybody sends tokens": traces(
    1,
    ...sentByAnybody.flatMap((reason) => times(5, { ...refused, reason })),
  ),
  "callers-refused is silent if anybody sends tokens that are refused in front": calls(
    ...inFront.flatMap((LastErrorReason) => times(5, { ...refusedInFront, LastErrorReason })),
  ),
  "creates-failing is silent if five of 251 creates fail": requests(
    ...some(5, 251, failedCreate, servedCreate),
  ),
  "creates-failing is silent if four of four creates fail": requests(...times(4, failedCreate)),
  "creates-failing is silent if the pool is empty": requests(...times(9, poolEmpty)),
  "creates-failing is silent if four creates fail in the app, and four in front of it": [
    ...requests(...times(4, failedCreate)),
    ...calls(...times(4, timedOut)),
  ],
  "creates-failing-in-front is silent if four creates fail in front of the app, and four in it": calls(
    ...times(4, timedOut),
    ...times(4, createCall(503, 503)),
  ),
  "creates-failing-in-front is silent if five of 251 creates fail": calls(
    ...some(5, 251, timedOut, servedInFront),
  ),
  "creates-failing-in-front is silent if all creates are refused by a rate limit": calls(
    ...times(9, createCall(429)),
  ),
  "creates-throttled is silent if five of 251 creates are refused by a rate limit": calls(
    ...some(5, 251, createCall(429), servedInFront),
  ),
  "creates-throttled is silent if four of four creates are refused by a rate limit": calls(
    ...times(4, createCall(429)),
  ),
  "creates-throttled is silent if a client that polls is refused": calls(
    ...times(99, { OperationId: "get-room", ResponseCode: 429 }),
  ),
  "deletion-queue-old is silent if a room waits for 3,600 s": metrics({ DeletionOldestSeconds: 3600 }),
  "event-sink-silent is silent if every sixth caller never comes": rooms(600, growing),
  "event-sink-silent is silent if 300 rooms wait since yesterday": rooms(10, () => 300),
  "event-sink-silent is silent if 90 callers are about to join": rooms(90, (minutesAgo) =>
    minutesAgo < 15 ? 90 : 0,
  ),
  "event-sink-silent is silent if five rooms wait in a quiet night": rooms(5, (minutesAgo) =>
    minutesAgo < 60 ? 5 : 0,
  ),
  "event-sink-silent is silent if rooms became more three hours ago": [
    ...rooms(0, () => 300),
    ...before(
      180,
      rooms(9, () => 0),
    ),
  ],
  "event-sink-silent is silent if a node stops for a moment": metrics(stopped, reached, reached),
  "health-check-failing is silent if one of three places fails": checks(
    1.5,
    ...some(3, 9, noResponse, response),
  ),
  "log-silent is silent if two rows came since a deployment": metrics(reached, reached),
  "log-silent is silent if the line of one run came": [
    ...metrics(...times(6, reached)),
    ...before(29, traces(1, collected)),
  ],
  "log-volume is silent if calls write less, and others in the workspace much more": [
    ...logged(1_666_000_000),
    ...logged(9_000_000_000).map(ofOtherApp),
  ],
  "platform-alarms is silent if a node is not connected": metrics({ AlarmNames: "connectivity_lost" }),
  "platform-unreachable is silent if one run fails": metrics(unreached, reached),
  "poison-messages is silent if the host gives up nothing": metrics({ PoisonDepth: 0 }),
  "pool-empty is silent if the pool is empty for 20 minutes": emptyPool(4, 26),
  "pool-empty is silent if one room comes within half an hour": [
    ...emptyPool(3, 1),
    ...before(20, emptyPool(2, 24)),
  ],
  "pool-empty is silent if no run has measured for half an hour": before(30, emptyPool(6, 24)),
  "pool-empty is silent in the first two hours of an environment": emptyPool(24, 0),
  "pool-empty is silent if MAX_VMR is 0, as while the pool is drained": emptyPool(36, 0, 0),
  "pool-empty-on-claim is silent if one caller tries eleven times": traces(0.1, ...times(11, empty)),
  "pool-empty-on-claim is silent if the pool is replaced": traces(0.1, ...times(100, empty)),
  "provisioning-failing is silent if four requests fail": traces(1, ...times(4, failed), ...times(9, create)),
  "rooms-not-found is silent if agents find no room under nine names": [
    ...tenClaimed,
    ...traces(1, ...[...tenNames.slice(1), ...tenNames.slice(1)].map(missed)),
  ],
  "rooms-not-found is silent if pages ask again after a weekend, before ten rooms are handed out": [
    ...tenClaimed.slice(1),
    ...before(61, tenClaimed),
    ...traces(1, ...tenNames.map(missed)),
  ],
  "rooms-not-found is silent if the pages of ten conversations stay open after their normal end": [
    ...tenMissed,
    ...before(47 * 60, traces(0, ...tenNames.map((room) => ({ event: "room-deleted", room })))),
  ],
  "rooms-not-found is silent if agents found the rooms before": [
    ...tenMissed,
    ...before(47 * 60, traces(0, ...tenNames.map((room) => ({ ...read, room })))),
  ],
  "rooms-not-found is silent if one agent is served": [
    ...tenMissed,
    ...before(59, traces(0, { ...read, room: "room-x" })),
  ],
  "rooms-not-found is silent if a program finds no rooms": [
    ...tenClaimed,
    ...traces(1, ...tenNames.map((room) => ({ ...missed(room), function: "getRoom" }))),
  ],
  "rooms-not-found is silent if agents without an accepted token ask": [
    ...tenClaimed,
    ...traces(1, ...tenNames.map((room) => ({ ...refusedRead, room }))),
  ],
  "server-errors is silent if five of 251 calls fail": calls(...some(5, 251, failedCall, servedCall)),
  "server-errors is silent if four of four calls fail": calls(...times(4, failedCall)),
  "server-errors-of-app is silent if four of four calls fail": requests(...times(4, failedRead)),
  "server-errors is silent if creates fail": calls(...times(9, failedCreateCall)),
  "server-errors-of-app is silent if five of 251 calls fail": requests(
    ...some(5, 251, failedRead, servedRead),
  ),
  "signing-keys-stale is silent if calls are served": traces(1, create),
  "timers-not-running is silent if the newest row is 29 minutes old": metricsAfter(29),
  "timers-not-running is silent if the app never ran": [],
};

/** Returns the name of the alert that a situation is about. */
export const alertOf = (situation: string): string => situation.split(" ")[0] ?? "";
