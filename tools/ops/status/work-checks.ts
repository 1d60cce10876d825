/** What the app did lately, as its log says: creates, provisioning, deletions, events, metrics runs. */
import { provisioningEvents } from "../../local/terminal/provisioning-problem.ts";
import type { LogLine } from "../target/target.ts";
import { age, count } from "../terminal/format.ts";
import { type Finding, judged, runbook } from "./line.ts";
import { causeOf, createMinutes, findingOf, hasFailed, historyOf } from "./log-history.ts";
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
    period: `${createMinutes} min`,
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
  return findingOf(
    historyOf(await log.lines({ hours: 1, events: provisioningEvents }), isEvent("provisioning-failed")),
    {
      noun: "attempt",
      succeeded: "provisioned",
      period: "the last hour",
      now: clock.now(),
      advice: runbook("provisioning-failing"),
    },
  );
}

function isEvent(event: string): (line: LogLine) => boolean {
  return ({ fields }) => fields["event"] === event;
}

/**
 * An accepted user name with a wrong password is a node that is configured wrongly. Other refused requests can come
 * from anybody, so they are only counted.
 */
export async function checkEventSink({ target: { clock, log } }: Reading): Promise<Finding> {
  const lines = await log.lines({ hours: hoursOfEvents, events: ["request"], functions: ["eventSink"] });
  const isFromAnybody = ({ fields }: LogLine) =>
    [401, 403].includes(Number(fields["status"])) && fields["reason"] !== "password";
  const events = lines.filter((line) => !isFromAnybody(line));
  const last = events.at(-1);
  const others = lines.length - events.length;
  if (!last) {
    const strangers =
      others > 0 ? `; ${count(others, "request")} refused because of the user name or the secret` : "";
    return { isOk: undefined, found: `no event in the last ${hoursOfEvents} h${strangers}` };
  }
  const hourAgo = clock.now() - 3600_000;
  const recent = events.filter(({ time }) => Date.parse(time) >= hourAgo);
  const history = historyOf(recent, ({ fields }) => fields["status"] !== 204);
  const { newestFailure } = history;
  if (!newestFailure) return { isOk: true, found: `the last event came ${age(last.time, clock.now())} ago` };
  const words = {
    noun: "event",
    succeeded: "accepted",
    period: "the last hour",
    now: clock.now(),
    advice: runbook("event-sink-silent", "rotate-sink"),
  };
  const { status } = newestFailure.fields;
  const cause =
    status === 401
      ? "401: a node has a wrong password; not every node need be affected"
      : `the gateway returned ${String(status)}`;
  return findingOf(history, words, cause);
}

export async function checkMetrics({ target: { clock }, newestRow }: Reading): Promise<Finding> {
  const advice = runbook("timers-not-running");
  const time = (await newestRow())?.["TimeGenerated"];
  if (typeof time !== "string") return judged(false, "no row in the last day", advice);
  const isLate = clock.now() - Date.parse(time) > metricsLateMilliseconds;
  return judged(!isLate, `the last row is ${age(time, clock.now())} old`, advice);
}
