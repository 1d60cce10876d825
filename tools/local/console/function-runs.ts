/** Reads the host's log: each run of a function becomes one entry of the timeline. */
import { type Line, readLine } from "../../log/reading.ts";
import { describeLine, describeLoggedFailure, phrase } from "../../log/words.ts";
import type { LogEntry, Trigger } from "../../simulators/host/messages.ts";

import { decodeName, type TimelineEntry } from "./console-state.ts";

const maxOpenRuns = 500;

/** Creates a reader that collects the lines of runs in progress. */
export function createFunctionRuns() {
  const linesByRun = new Map<string, Line[]>();
  return {
    /** Returns the entry of a run that this log entry completes, otherwise undefined. */
    read: (entry: LogEntry, now: number): TimelineEntry | undefined => {
      const { message, functionName, invocationId, category, trigger } = entry;
      if (functionName === undefined || invocationId === undefined) return undefined;
      if (category.endsWith(".User")) {
        const line = readLine(message);
        if (line && linesByRun.size < maxOpenRuns)
          linesByRun.set(invocationId, [...(linesByRun.get(invocationId) ?? []), line]);
        return undefined;
      }
      const [, outcome, duration] = /^Executed .*\((\w+),.*Duration=(\d+)ms\)/.exec(message) ?? [];
      if (outcome === undefined || !trigger) return undefined;
      const lines = linesByRun.get(invocationId) ?? [];
      linesByRun.delete(invocationId);
      return toEntry({
        id: invocationId,
        functionName,
        trigger,
        lines,
        now,
        succeeded: outcome === "Succeeded",
        milliseconds: Number(duration),
      });
    },
  };
}

interface Run {
  readonly id: string;
  readonly functionName: string;
  readonly trigger: Trigger;
  readonly lines: readonly Line[];
  readonly now: number;
  readonly succeeded: boolean;
  readonly milliseconds: number;
}

function toEntry({ id, functionName, trigger, lines, now, succeeded, milliseconds }: Run): TimelineEntry {
  const request = lines.find(({ event }) => event === "request");
  const { code, ignored, caller, correlationId } = request ?? {};
  const steps = lines.filter((line) => line !== request).map(describeLine);
  if (ignored !== undefined) steps.push(`Event ignored (${request?.kind ?? ignored})`);
  if (code !== undefined && !steps.some((step) => step.startsWith(phrase(code)))) steps.push(phrase(code));
  const title = trigger.kind === "request" ? trigger.title : functionName;
  const [, room] = /^\w+ (?:\/public)?\/room\/(?!create$|list$)([^/]+)$/.exec(title) ?? [];
  const roomNames = [...lines.map((line) => line.room), room && decodeName(room)];
  // The host responds with 500 to a run that has logged no response, for example because its process has ended.
  const status = request?.status ?? (trigger.kind === "request" && !succeeded ? 500 : undefined);
  const failed = !succeeded || (status ?? 0) >= 500;
  return {
    id,
    time: now,
    kind: functionName === "eventSink" ? "event" : trigger.kind,
    tone: failed ? "bad" : (status ?? 0) >= 400 ? "warning" : "good",
    title,
    durationMilliseconds: request?.durationMilliseconds ?? milliseconds,
    steps: countRepeats(steps),
    rooms: [...new Set(roomNames.filter((name) => name !== undefined))],
    ...(status !== undefined && { status }),
    ...(caller !== undefined && { caller }),
    ...(correlationId !== undefined && { correlationId }),
    ...(failed && request && { cause: describeLoggedFailure(request) }),
  };
}

function countRepeats(steps: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const step of steps) counts.set(step, (counts.get(step) ?? 0) + 1);
  return [...counts].map(([step, count]) => (count === 1 ? step : `${step} × ${count}`));
}
