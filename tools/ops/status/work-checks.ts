/** What the app did lately, as its log says: creates, provisioning, deletions, events, metrics runs. */
import { provisioningEvents } from "../../local/terminal/provisioning-problem.ts";
import type { LogLine } from "../target/target.ts";
import { age, count } from "../terminal/format.ts";
import { type Finding, judged, runbook } from "./line.ts";
import { causeOf, findingOf, hasFailed, historyOf, recentHours, recentMinutes } from "./log-history.ts";
import type { Reading } from "./reading.ts";

const metricsLateMilliseconds = 15 * 60_000;
const hoursOfEvents = 24;

export async function checkCreates({ target: { clock }, creates }: Reading): Promise<Finding> {
  const lines = (await creates()).map(({ line }) => line);
  const history = historyOf(lines, ({ fields }) => hasFailed(fields["status"]));
  const { newestFailure } = history;
  const words = {
    noun: "create",
    succeeded: "served",
    period: `${recentMinutes} min`,
    now: clock.now(),
    advice: runbook(isCode(newestFailure, "pool-exhausted") ? "pool-empty-on-claim" : "creates-failing"),
  };
  // While changes are paused, a create makes no call that its line could name.
  const isPaused =
    isCode(newestFailure, "platform-unavailable") && !("platformMethod" in (newestFailure?.fields ?? {}));
  const before = lines.findLast(({ fields }) => hasFailed(fields["status"]) && "platformMethod" in fields);
  return findingOf(history, words, isPaused && before && `${causeOf(before)}, so changes are paused`);
}

function isCode(line: LogLine | undefined, code: string): boolean {
  return line?.fields["code"] === code;
}

export async function checkProvisioning({ target: { clock, log } }: Reading): Promise<Finding> {
  const lines = await log.lines({ hours: recentHours, events: provisioningEvents });
  const history = historyOf(lines, ({ fields }) => fields["event"] === "provisioning-failed");
  return findingOf(history, {
    noun: "attempt",
    succeeded: "provisioned",
    period: `${recentMinutes} min`,
    now: clock.now(),
    advice: runbook("provisioning-failing"),
  });
}

/**
 * An accepted user name with a wrong password is a node that is configured wrongly. Other refused requests can come
 * from anybody, so they are only counted.
 */
export async function checkEventSink({ target: { clock, log } }: Reading): Promise<Finding> {
  const isFromAnybody = ({ fields }: LogLine) =>
    [401, 403].includes(Number(fields["status"])) && fields["reason"] !== "password";
  const filter = { events: ["request"], functions: ["eventSink"] };
  const isIrrelevant = (lines: readonly LogLine[]) => lines.every(isFromAnybody);
  let hours = 1;
  let lines = await log.lines({ ...filter, hours });
  if (isIrrelevant(lines)) {
    hours = hoursOfEvents;
    lines = await log.lines({ ...filter, hours });
  }
  const found = `no event in the last ${hours} h`;
  if (lines.length === 0) return { isOk: undefined, found };
  if (isIrrelevant(lines)) {
    const refused = `${count(lines.length, "request")} refused because of the user name or the secret`;
    return { isOk: undefined, found: `${found}; ${refused}` };
  }
  const history = historyOf(
    lines.filter((line) => !isFromAnybody(line)),
    ({ fields }) => fields["status"] !== 204,
  );
  const words = {
    noun: "event",
    succeeded: "accepted",
    period: `${hours} h`,
    now: clock.now(),
    advice: runbook("event-sink-silent"),
  };
  const status = history.newestFailure?.fields["status"];
  const isPassword = status === 401;
  const finding = findingOf(
    history,
    words,
    isPassword ? "a node has another password (401)" : `the gateway returned ${String(status)}`,
  );
  const previous = lines.filter(({ fields }) => fields["credentials"] === "previous");
  const last = previous.at(-1);
  if (!last) return finding;
  const used = `${previous.length} with the previous password, the last ${age(last.time, clock.now())} ago`;
  return { ...finding, found: `${finding.found}; ${used}` };
}

export async function checkMetrics({ target: { clock }, newestRow }: Reading): Promise<Finding> {
  const advice = runbook("timers-not-running");
  const time = (await newestRow())?.["TimeGenerated"];
  if (typeof time !== "string") return judged(false, "no row in the last day", advice);
  const isLate = clock.now() - Date.parse(time) > metricsLateMilliseconds;
  return judged(!isLate, `the last row is ${age(time, clock.now())} old`, advice);
}
