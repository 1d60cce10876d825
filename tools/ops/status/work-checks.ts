/** What the app did lately, as its log says: creates, provisioning, deletions, events, metrics runs. */
import * as z from "zod";
import { age, count, duration } from "../../terminal/format.ts";
import { agentFunction, type LogLine } from "../gateway/log.ts";
import type { Target } from "../gateway/target.ts";
import { type Finding, judged, runbook } from "./line.ts";
import {
  causeOf,
  causesOf,
  findingOf,
  hasFailed,
  historyOf,
  isCreate,
  isOfDeletedRoom,
  recentHours,
  recentMinutes,
} from "./log-history.ts";
import { listedAfter, type Reading } from "./reading.ts";

const recentPeriod = `${recentMinutes} min`;
const metricsLateMilliseconds = 15 * 60_000;
const hoursOfEvents = 24;

/** Where to read on about a create that failed with a code; the others are in creates-failing. */
const sections: Readonly<Record<string, string>> = {
  "pool-exhausted": "pool-empty-on-claim",
  "storage-unavailable": "storage-unavailable",
};

/** Judges the creates that the app served or failed, and names those that API Management failed itself. */
export async function checkCreates(reading: Reading): Promise<Finding> {
  const { target, creates, answeredByApiManagement } = reading;
  const since = new Date(target.clock.now() - recentHours * 3600_000).toISOString();
  // The line Callers says why they cannot be read.
  const inFront = (await answeredByApiManagement().catch(() => undefined)) ?? [];
  const answered = inFront.filter(({ time }) => time >= since);
  const throttled = answered.filter(({ fields }) => fields["status"] === 429);
  const failed = answered.filter(({ fields }) => hasFailed(fields["status"]));
  const refused = answered.length - throttled.length - failed.length;
  const ofApp = await judgeCreatesOfApp(reading, refused);
  if (failed.length + throttled.length === 0) return ofApp;
  const byStatus = Map.groupBy(failed, ({ fields }) => fields["status"]);
  const failures = [...byStatus].map(
    ([status, { length }]) => `${String(status)} to ${count(length, "create")}`,
  );
  const found = [
    ofApp.found,
    ...(failures.length > 0 ? [`API Management itself returned ${failures.join(", ")}`] : []),
    ...(throttled.length > 0
      ? [`API Management's rate limits refused ${count(throttled.length, "create")} (429)`]
      : []),
  ].join("; ");
  if (ofApp.isOk === false) return { ...ofApp, found };
  // The app may have served as many creates that then timed out here, but to nobody.
  const timeouts = failed.filter(({ fields }) => fields["status"] === 504).length;
  const served = (await creates()).toSpliced(-timeouts, timeouts).map(({ line }) => line);
  const { isOver } = historyOf([...served, ...failed].toSorted(byTime), ({ fields }) =>
    hasFailed(fields["status"]),
  );
  if (!isOver) return { isOk: false, found, advice: runbook("creates-failing-in-front") };
  if (throttled.length > 0) return { isOk: undefined, found, advice: runbook("creates-throttled") };
  return { ...ofApp, found };
}

const byTime = (one: LogLine, other: LogLine) => (one.time < other.time ? -1 : 1);

async function judgeCreatesOfApp(reading: Reading, refusedInFront: number): Promise<Finding> {
  const { target, creates, recentCalls } = reading;
  const { clock } = target;
  const lines = (await creates()).map(({ line }) => line);
  const all = (await recentCalls()).filter(isCreate);
  const ofDeletedRooms = all.filter(isOfDeletedRoom).length;
  const refused = all.length - ofDeletedRooms - lines.length + refusedInFront;
  // Anybody can send creates that are refused, so they raise no alarm.
  if (lines.length === 0 && refused > 0)
    return {
      isOk: undefined,
      found: `${count(refused, "create")} in ${recentPeriod}, all refused: see Callers`,
    };
  if (lines.length === 0 && ofDeletedRooms > 0) {
    const found = `${count(ofDeletedRooms, "create")} in ${recentPeriod}, all with keys of deleted rooms`;
    return { isOk: true, found };
  }
  const history = historyOf(lines, ({ fields }) => hasFailed(fields["status"]));
  const { newestFailure } = history;
  const advice = runbook(sections[String(newestFailure?.fields["code"])] ?? "creates-failing");
  const words = { noun: "create", succeeded: "served", period: recentPeriod, now: clock.now(), advice };
  // While changes are paused, a create makes no call that its line could name.
  const isPaused = (line: LogLine) =>
    line.fields["code"] === "platform-unavailable" && !("platformMethod" in line.fields);
  const causes = causesOf({ failures: history.failures.filter((line) => !isPaused(line)) });
  const pause = causes !== "" && newestFailure && isPaused(newestFailure) ? ", so changes are paused" : "";
  return findingOf(history, words, `${causes}${pause}`);
}

/** Judges the newest creates, and the newest agents' reads, except those that anybody can send without a token. */
export async function checkCallers({ target, calls, answeredByApiManagement }: Reading): Promise<Finding> {
  const { calls: judgedCalls, statuses, ignoredReasons } = target.limits["callers-refused"];
  const byApiManagement = await answeredByApiManagement();
  const isRefused = ({ fields }: LogLine) => statuses.includes(Number(fields["status"]));
  // A rate limit, or a failure, says nothing about the caller's token.
  const lines = [...(await calls()), ...(byApiManagement ?? []).filter(isRefused)].toSorted(byTime);
  const ofCallers = lines.filter((line) => isCreate(line) || line.fields["function"] === agentFunction);
  const known = ofCallers.filter((line) => !ignoredReasons.includes(reasonOf(line)));
  const unknown = ofCallers.filter((line) => ignoredReasons.includes(reasonOf(line)));
  const reasons = [...new Set(unknown.map(reasonOf))].join(", ");
  const others = reasons && `; ${unknown.length} without a usable token, as anybody can send (${reasons})`;
  for (const isOfCreates of [true, false]) {
    const newest = known.filter((line) => isCreate(line) === isOfCreates).slice(-judgedCalls);
    const last = newest.at(-1);
    if (!last || newest.length < judgedCalls || !newest.every(isRefused)) continue;
    const noun = isOfCreates ? "creates" : "agents' reads";
    const when = age(last.time, target.clock.now());
    const found = `the newest ${judgedCalls} ${noun} were refused, the last ${when} ago (${reasonInWords(last)})${others}`;
    return { isOk: false, found, advice: runbook("callers-refused") };
  }
  const notFound = await roomsNotFound(ofCallers, target);
  if (notFound) return { isOk: false, found: notFound, advice: runbook("rooms-not-found") };
  const byContactCentre = refusedByContactCentre(ofCallers, target);
  if (byContactCentre) return { isOk: false, found: byContactCentre, advice: runbook("agents-refused") };
  const refused = known.filter(isRefused);
  const [newest] = refused.slice(-1);
  const reason = newest ? `, the newest with ${reasonInWords(newest)}` : "";
  const found = `${refused.length} of ${known.length} creates and agents' reads refused in 1 h${reason}${others}`;
  if (byApiManagement) return { isOk: true, found };
  return { isOk: undefined, found: `${found}; what API Management refuses is not visible here` };
}

/** Returns why a call was refused: `403: role`. */
function reasonInWords(line: LogLine): string {
  const { status, reason } = line.fields;
  return `${String(status)}: ${typeof reason === "string" ? reason : causeOf(line)}`;
}

const judgedNames = 5;
const knownHours = 48;

/** Returns that the newest names for which agents asked lead to no room, or undefined. As in the alert, some do not count. */
async function roomsNotFound(calls: readonly LogLine[], { log }: Target): Promise<string | undefined> {
  const withStatus = (lines: readonly LogLine[], ...statuses: number[]) =>
    lines.filter(({ fields }) => statuses.includes(Number(fields["status"])));
  const claims = await log.lines({ hours: 1, events: ["room-claimed"] });
  // After a weekend, pages that stayed open ask before rooms are handed out.
  const since = claims[judgedNames - 1]?.time;
  if (since === undefined) return undefined;
  const reads = withStatus(calls, 200, 404).filter((line) => !isCreate(line) && line.time >= since);
  if (withStatus(reads, 404).length < judgedNames) return undefined;
  const earlier = await log.lines({ hours: knownHours, events: ["request"], functions: [agentFunction] });
  const deleted = await log.lines({ hours: knownHours, events: ["room-deleted"] });
  const known = new Set([...withStatus(earlier, 200), ...deleted].map(({ fields }) => fields["room"]));
  // The newest read of each name, the newest name first.
  const names = Map.groupBy(reads.toReversed(), ({ fields }) => fields["room"]);
  const newest = [...names.values()].flatMap(([line]) => line ?? []);
  const judged = newest
    .filter(({ fields }) => fields["status"] === 200 || !known.has(fields["room"]))
    .slice(0, judgedNames);
  if (withStatus(judged, 404).length < judgedNames) return undefined;
  return `agents found no room under the newest ${judgedNames} names: are names changed on the way, or rooms deleted by hand?`;
}

/** Returns that the contact centre refused all agents, as the alert agents-refused does, or undefined. */
function refusedByContactCentre(calls: readonly LogLine[], { clock, limits }: Target): string | undefined {
  const { reads: judgedReads, ignoredReasons, ignoredCodes } = limits["agents-refused"];
  const since = new Date(clock.now() - recentHours * 3600_000).toISOString();
  const reads = calls.filter(
    (line) =>
      line.fields["function"] === agentFunction &&
      line.time >= since &&
      !ignoredReasons.includes(reasonOf(line)) &&
      !ignoredCodes.includes(String(line.fields["code"])),
  );
  const isRefusal = (line: LogLine) => reasonOf(line) === "refused-by-contact-centre";
  if (reads.length < judgedReads || !reads.every(isRefusal)) return undefined;
  const status = String(reads.at(-1)?.fields["contactCentreStatus"]);
  return `the contact centre refused all ${reads.length} agents' reads in ${recentPeriod} (${status})`;
}

const reasonOf = ({ fields }: LogLine): string => String(fields["reason"]);

/** Judges what the alert server-errors judges; event sink and creates have lines of their own. */
export async function checkOtherCalls({ target, recentCalls }: Reading): Promise<Finding> {
  const { failures, percent } = target.limits["server-errors"];
  const recent = (await recentCalls()).filter((line) => !isCreate(line));
  const failed = recent.filter(({ fields }) => Number(fields["status"]) >= 500);
  const last = failed.at(-1);
  const cause = last ? `, the last ${age(last.time, target.clock.now())} ago: ${causeOf(last)}` : "";
  const found = `${failed.length} of ${count(recent.length, "call")} failed in ${recentMinutes} min${cause}`;
  const isFailing = failed.length >= failures && failed.length >= (recent.length * percent) / 100;
  return judged(!isFailing, found, runbook("server-errors"));
}

export async function checkProvisioning({ target: { clock, log } }: Reading): Promise<Finding> {
  const lines = await log.lines({ hours: recentHours, events: ["provisioning-failed", "room-provisioned"] });
  const history = historyOf(lines, ({ fields }) => fields["event"] === "provisioning-failed");
  const advice = runbook("provisioning-failing");
  const words = { noun: "attempt", succeeded: "provisioned", period: recentPeriod, now: clock.now(), advice };
  return findingOf(history, words, causesOf(history));
}

const hoursOfHandOuts = 2;

/**
 * Judges what the platform reports and whether the ends of conferences are reported at all. Only rooms that were handed
 * out lately count, because rooms that nobody joined stay for a day, and neither the newest, which callers are about to
 * join, nor a few.
 */
export async function checkEventSink(reading: Reading): Promise<Finding> {
  const { clock, limits, log } = reading.target;
  const finding = await judgeEvents(reading);
  const { row, own } = await reading.metrics();
  if (!own || row.LiveConferences === null || row.DeletionDepth === null) return finding;
  const since = clock.now() - hoursOfHandOuts * 3600_000;
  const until = clock.now() - recentHours * 3600_000;
  const recent = own.rooms.filter(
    ({ marker: { state, since: time } }) =>
      state === "assigned" && Date.parse(time) >= since && Date.parse(time) <= until,
  );
  const kept = await listedAfter("room-deleted", reading);
  const unreported = recent.length - row.LiveConferences - row.DeletionDepth - kept.length;
  const claims = (await log.lines({ hours: hoursOfHandOuts, events: ["room-claimed"] })).length;
  const allowed = limits["event-sink-silent"];
  if (unreported <= allowed.rooms || unreported <= (allowed.percentOfClaims / 100) * claims) return finding;
  const rooms = `${unreported} rooms were handed out in ${hoursOfHandOuts} h`;
  const found = `${finding.found}; ${rooms}, have no conference and wait for no deletion`;
  return { isOk: false, found, advice: runbook("event-sink-silent") };
}

/**
 * An accepted user name with a wrong password is a node that is configured wrongly, whatever the others send. Other
 * refused requests can come from anybody, so they are only counted.
 */
async function judgeEvents({ target: { clock, log } }: Reading): Promise<Finding> {
  const isFromAnybody = ({ fields }: LogLine) =>
    [401, 403].includes(Number(fields["status"])) && fields["reason"] !== "password";
  const read = async (hours: number) => log.lines({ hours, events: ["request"], functions: ["eventSink"] });
  const recent = await read(1);
  const hours = recent.every(isFromAnybody) ? hoursOfEvents : 1;
  const lines = hours === 1 ? recent : await read(hours);
  if (lines.every(isFromAnybody)) {
    const refused = `${count(lines.length, "request")} refused because of the user name or the secret`;
    const found = `no event in the last ${hours} h${lines.length > 0 ? `; ${refused}` : ""}`;
    return { isOk: undefined, found };
  }
  const history = historyOf(
    lines.filter((line) => !isFromAnybody(line)),
    ({ fields }) => fields["status"] !== 204,
  );
  const advice = runbook("event-sink-silent");
  const words = { noun: "event", succeeded: "accepted", period: `${hours} h`, now: clock.now(), advice };
  const { newestFailure } = history;
  const isPassword = newestFailure?.fields["status"] === 401;
  const isNew = isPassword && clock.now() - Date.parse(newestFailure.time) <= recentHours * 3600_000;
  const cause = isPassword
    ? "a node has another password (401)"
    : `the gateway returned ${String(newestFailure?.fields["status"])}`;
  return findingOf({ ...history, isOver: history.isOver && !isNew }, words, cause);
}

const clockMilliseconds = 60_000;
const causesSchema = z.array(z.object({ message: z.string() })).catch([]);

export async function checkMetrics({ target: { clock, log }, newestRow }: Reading): Promise<Finding> {
  const advice = runbook("timers-not-running");
  const time = z
    .string()
    .optional()
    .parse((await newestRow())?.["TimeGenerated"]);
  const ageMilliseconds = time === undefined ? Number.POSITIVE_INFINITY : clock.now() - Date.parse(time);
  if (ageMilliseconds < -clockMilliseconds) {
    const found = `the app's clock is ${duration(-ageMilliseconds / 1000)} ahead of this computer's, by the last row`;
    return judged(false, found, `correct the clock that is wrong: ${advice}`);
  }
  const found =
    time === undefined ? "no row in the last day" : `the last row is ${age(time, clock.now())} old`;
  if (ageMilliseconds <= metricsLateMilliseconds) {
    const lines = await log.lines({ hours: 2 * recentHours, events: ["metrics-collected"] });
    const lost = `${found}, but no run of ${2 * recentMinutes} min is in the log: trust no line about calls and events`;
    return lines.length > 0
      ? { isOk: true, found }
      : { isOk: false, found: lost, advice: runbook("log-silent") };
  }
  const failures = await log.lines({ hours: 1, events: ["metrics-run-failed"] });
  const [cause] = causesSchema.parse(failures.at(-1)?.fields["causes"]);
  return judged(false, `${found}${cause ? `; a run failed: ${cause.message}` : ""}`, advice);
}
