/** What the log says about work that succeeds or fails: how often it failed, why, and whether that is over. */
import * as z from "zod";
import { readLine } from "../../log/line.ts";
import { describeLoggedFailure } from "../../log/words.ts";
import { describeCall } from "../../terminal/call-failure.ts";
import { age, count } from "../../terminal/format.ts";
import { createFunctions, type LogLine } from "../gateway/log.ts";
import type { Target } from "../gateway/target.ts";
import { firstLine } from "../outcomes.ts";
import { type Finding, judged } from "./line.ts";

/** Some work within some time. */
type History = ReturnType<typeof historyOf>;

/** Compares the lines, the oldest first. */
export function historyOf(lines: readonly LogLine[], hasFailed: (line: LogLine) => boolean) {
  const failures = lines.filter(hasFailed);
  const newestFailure = failures.at(-1);
  const first = lines.findIndex(hasFailed);
  const last = lines.findLastIndex(hasFailed);
  /** How many succeeded since the newest failure. */
  const since = lines.length - 1 - last;
  const between = last - first + 1 - failures.length;
  /** Whether more succeeded since the newest failure than between the failures. */
  const isOver = newestFailure === undefined || since > between;
  return {
    total: lines.length,
    failures,
    failed: failures.length,
    newest: lines.at(-1),
    newestFailure,
    since,
    isOver,
  };
}

/** Returns why, in words, from the fields of a log line. */
export function causeOf({ fields }: LogLine): string {
  const line = readLine(fields);
  const named = line?.rejectedFields === undefined ? "" : `, field ${line.rejectedFields}`;
  return `${describeLoggedFailure(line ?? {})}${named}`;
}

/** Returns the newest cause, and the one before it that is another: several faults can be at work. */
export function causesOf({ failures }: Pick<History, "failures">): string {
  const causes = [...new Set(failures.map(causeOf).toReversed())];
  return causes.slice(0, 2).join("; before: ");
}

interface HistoryWords {
  /** What was tried, in the singular: `create`. */
  readonly noun: string;
  /** What succeeded: `served`. */
  readonly succeeded: string;
  readonly period: string;
  readonly now: number;
  readonly advice: string;
}

/** Returns the finding of a history: good if nothing failed, or if that is over. */
export function findingOf(history: History, words: HistoryWords, cause?: string | false): Finding {
  const { total, failed, newest, newestFailure, since, isOver } = history;
  const { noun, succeeded, period, now, advice } = words;
  if (total === 0) return { isOk: true, found: `no ${noun} in ${period}` };
  const all = `${count(total, noun)} in ${period}, the newest ${age(newest?.time ?? "", now)} ago, all ${succeeded}`;
  if (!newestFailure) return { isOk: true, found: all };
  const failures = `${failed} of ${count(total, noun)} failed in ${period}`;
  const last = `the last ${age(newestFailure.time, now)} ago: ${cause || causeOf(newestFailure)}`;
  const found = `${failures}, ${last}${since > 0 ? `; ${since} ${succeeded} since` : ""}`;
  return judged(isOver, found, advice);
}

/** What a line adds to what it has measured if the log cannot be read. */
export const unknownLog = "; what the app logged is unknown";

/** Returns `; the app logged EVENT in 2 calls in the last hour: CAUSE`, or nothing. Two lines of a call count once. */
export async function mentionLogged({ log }: Target, event: string): Promise<string> {
  const lines = await log.lines({ hours: 1, events: [event] }).catch(() => undefined);
  if (!lines) return unknownLog;
  const newest = lines.at(-1);
  if (!newest) return "";
  const calls = new Set(lines.map(({ fields }) => fields["invocationId"])).size;
  const { causes = [], status } = readLine(newest.fields) ?? {};
  // Most errors have their code as the message.
  const cause = causes.map(({ message }) => firstLine(message)).find((message) => message !== event);
  const known = cause ?? (status === undefined ? undefined : describeCall({ status }));
  const reason = known === undefined ? "" : `: ${known}`;
  return `; the app logged ${event} in ${count(calls, "call")} in the last hour${reason}`;
}

/** The period of most findings: that of the alert on creates, and longer than the collector's pause. */
export const recentMinutes = 15;
export const recentHours = recentMinutes / 60;

const createSchema = z.object({ status: z.number(), durationMilliseconds: z.number() });

/** Returns the creates that were served or failed, with their lines; a caller's own mistakes are neither. */
export function createsOf(lines: readonly LogLine[]) {
  return lines.filter(isCreate).flatMap((line) => {
    const create = createSchema.safeParse(line.fields).data;
    const isJudged = create && !isOfDeletedRoom(line) && (create.status === 200 || hasFailed(create.status));
    return isJudged ? [{ ...create, line }] : [];
  });
}

/** Whether a create got 404 because its idempotency key belongs to a deleted room: its caller needs another key. */
export function isOfDeletedRoom({ fields }: LogLine): boolean {
  return fields["code"] === "room-not-found";
}

export function isCreate({ fields }: LogLine): boolean {
  return createFunctions.includes(String(fields["function"]));
}

/** 404 is an empty pool. */
export function hasFailed(status: unknown): boolean {
  return status === 404 || Number(status) >= 500;
}
