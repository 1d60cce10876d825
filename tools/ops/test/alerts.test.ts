/**
 * Each line of `ops status` says the same as its alert in the situations of the alert's own test, or why it does not.
 */
import { expect, test } from "vitest";
import {
  alertOf,
  appName,
  create,
  firing,
  now,
  silent,
  times,
} from "../../../test/support/infra/alert-situations.ts";
import type { Row } from "../../../test/support/kusto-rows.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import type { LogLine } from "../gateway/log.ts";
import { statusChecks } from "../status/checks.ts";
import { readingOf } from "../status/reading.ts";
import { calmMetrics, memoryTarget } from "./memory-target.ts";

/**
 * The lines of `ops status` that judge by the log and by metrics rows. The others call the gateway and its services.
 */
const lines: Readonly<Record<string, string>> = {
  "agents-refused": "Callers",
  "callers-refused": "Callers",
  "creates-failing": "Creates",
  "creates-failing-in-front": "Creates",
  "creates-throttled": "Creates",
  "deletion-queue-old": "Deletion",
  "event-sink-silent": "Event sink",
  "log-silent": "Metrics",
  "platform-alarms": "Alarms",
  "platform-unreachable": "Platform",
  "poison-messages": "Poison",
  "pool-empty": "Pool",
  "provisioning-failing": "Provisioning",
  "rooms-not-found": "Callers",
  "server-errors-of-app": "Other calls",
  "timers-not-running": "Metrics",
};
/** Situations in which the line says another thing than the alert. */
const differences: Readonly<Record<string, { readonly why: string }>> = {
  "agents-refused is silent if agents of another division call": { why: "callers-refused fires" },
  "creates-failing is silent if five of 251 creates fail": { why: "the newest ones failed" },
  "creates-failing is silent if four of four creates fail": { why: "one create is enough" },
  "creates-failing is silent if the pool is empty": { why: "callers are turned away, for any reason" },
  "creates-failing is silent if four creates fail in the app, and four in front of it": {
    why: "one is enough",
  },
  "creates-failing-in-front is silent if four creates fail in front of the app, and four in it": {
    why: "one create is enough",
  },
  "creates-failing-in-front is silent if five of 251 creates fail": { why: "the newest one failed" },
  "creates-throttled fires if five of 250 creates are refused by a rate limit": { why: "a limit works" },
  "event-sink-silent fires if a node stops": { why: "the line Alarms says so" },
  "event-sink-silent is silent if 90 callers are about to join": { why: "nobody waits half an hour" },
  "log-silent is silent if two rows came since a deployment": { why: "the newest row's line is missing" },
  "platform-alarms is silent if a node is not connected": { why: "all alarms are named" },
  "platform-unreachable is silent if one run fails": { why: "the newest run counts" },
  "pool-empty is silent if the pool is empty for 20 minutes": { why: "creates return 404" },
  "pool-empty is silent if one room comes within half an hour": { why: "creates return 404" },
  "pool-empty is silent if no run has measured for half an hour": { why: "creates return 404" },
  "pool-empty is silent in the first two hours of an environment": { why: "creates return 404" },
  "provisioning-failing is silent if four requests fail": { why: "one request is enough" },
  "rooms-not-found is silent if agents find no room under nine names": { why: "five are enough" },
  "rooms-not-found is silent if pages ask again after a weekend, before ten rooms are handed out": {
    why: "five are enough",
  },
  "rooms-not-found is silent if one agent is served": { why: "the newest ones were not" },
  "rooms-not-found is silent if agents without an accepted token ask": { why: "agents-refused fires" },
  "timers-not-running is silent if the newest row is 29 minutes old": { why: "15 minutes are too long" },
  "timers-not-running is silent if the app never ran": { why: "it should run" },
};

/** Returns whether a line is bad, given the log of these rows and the newest metrics row. */
async function isBad(line: string, newestFirst: readonly Row[]): Promise<boolean> {
  const timeOf = (row: Row) => new Date(Number(row["TimeGenerated"])).toISOString();
  const ofApp = newestFirst.filter(({ AppRoleName }) => AppRoleName === appName).toReversed();
  const rowsIn = (table: string) => ofApp.filter(({ Type }) => Type === table);
  const logged = (table: string, fieldsOf: (row: Row) => LogLine["fields"]): LogLine[] =>
    rowsIn(table).map((row) => ({ time: timeOf(row), fields: fieldsOf(row) }));
  const inFront = logged("ApiManagementGatewayLogs", (row) => {
    const isOfApp = row["BackendResponseCode"] === row["ResponseCode"];
    const isCreate = String(row["OperationId"]).startsWith("create-room");
    return isOfApp || !isCreate
      ? {}
      : { ...create, status: row["ResponseCode"], reason: row["LastErrorReason"] };
  });
  const calls = logged("AppRequests", ({ OperationName, ResultCode }) => {
    return { ...create, function: OperationName, status: Number(ResultCode), durationMilliseconds: 1000 };
  });
  const traced = logged("AppTraces", ({ Message }) => JSON.parse(String(Message)));
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  const collected = { time: minutesAgo(1), fields: { function: "collectGarbage" } };
  const measured = rowsIn("VmrGatewayMetrics_CL");
  const calm = calmMetrics(now);
  const newest = measured.at(-1) ?? { TimeGenerated: now };
  const AlarmCount = newest["AlarmNames"] === undefined ? 0 : 1;
  const row = { ...calm.row, AlarmCount, ...newest, TimeGenerated: timeOf(newest) };
  const before = { ...calm.row, ...measured.slice(-24)[0] };
  const waitingBefore =
    Number(before.InUseRooms) - Number(before.LiveConferences) - Number(before.DeletionDepth);
  const handedOut = {
    name: "room",
    marker: { gateway: "x", state: "assigned", since: minutesAgo(60) } as const,
  };
  const own = { ...calm.own, rooms: times(Number(row.InUseRooms) - waitingBefore, handedOut) };
  const logs = { lines: [...traced, ...calls, collected], rows: measured.length > 0 ? [row] : [] };
  const target = memoryTarget({ clock: createManualClock(now) }, logs);
  const log = { ...target.log, answeredByApiManagement: async () => inFront };
  const reading = { ...readingOf({ ...target, log }), metrics: async () => ({ row, own }) };
  const check = statusChecks.find(({ name }) => name === line);
  return (await check?.run(reading))?.isOk === false;
}

const situations = [...Object.entries(firing), ...Object.entries(silent)].flatMap(([situation, rows]) => {
  const line = lines[alertOf(situation)];
  const why = differences[situation]?.why;
  const says = why === undefined ? "the same" : `another thing, because ${why}`;
  return line === undefined ? [] : [{ line, says, situation, rows, isSame: why === undefined }];
});
test.each(situations)("The line $line says $says: $situation", async ({ line, situation, rows, isSame }) => {
  expect((await isBad(line, rows)) === situation in firing).toBe(isSame);
});
