/** What happened: each run of a function, as the app's log tells it. */
import { type Line, readLine } from "../../log/line.ts";
import { describeLine, describeLoggedFailure, phrase } from "../../log/words.ts";
import type { LogEntry } from "../../simulators/host/messages.ts";
import type { TimelineEntry } from "./console-state.ts";

const maxEntries = 1000;

/** The lines that say that a room waits to be deleted. */
const endingEvents = ["room-queued-for-deletion", "room-discarded"];

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const linesByRun = new Map<string, Line[]>();
  /** When each room began to wait for its deletion, in milliseconds since 1970. */
  const endings = new Map<string, number>();
  let entries: readonly TimelineEntry[] = [];

  return {
    /** Receives the host's log, from before the console has started. */
    onLog: (entry: LogEntry): void => {
      const { message, functionName, invocationId, category } = entry;
      if (functionName === undefined || invocationId === undefined) return;
      const lines = linesByRun.get(invocationId) ?? [];
      if (category.endsWith(".User")) {
        const line = readLine(message);
        if (!line) return;
        linesByRun.set(invocationId, [...lines, line]);
        if (line.room !== undefined && endingEvents.includes(line.event)) endings.set(line.room, Date.now());
        return;
      }
      const run = toEntry(entry, lines);
      if (!run) return;
      linesByRun.delete(invocationId);
      // The oldest ones beyond the limit go.
      entries = [...entries, { ...run, id: invocationId }].slice(-maxEntries);
    },
    entries: () => entries,
    endings: (): ReadonlyMap<string, number> => endings,
  };
}

/** Returns the entry of a run whose end the host has logged; undefined for another line. */
function toEntry(
  { message, functionName = "", trigger }: LogEntry,
  lines: readonly Line[],
): Omit<TimelineEntry, "id"> | undefined {
  const [, outcome, duration] = /^Executed .*\((\w+),.*Duration=(\d+)ms\)/.exec(message) ?? [];
  if (outcome === undefined || !trigger) return undefined;
  const request = lines.find(({ event }) => event === "request");
  const { code, ignored, correlationId, durationMilliseconds = Number(duration) } = request ?? {};
  const steps = lines.filter((line) => line !== request).map(describeLine);
  if (ignored !== undefined) steps.push(`Event ignored (${request?.kind ?? ignored})`);
  if (code !== undefined && !steps.some((step) => step.startsWith(phrase(code)))) steps.push(phrase(code));
  const title = trigger.kind === "request" ? trigger.title : functionName;
  const [, room] = /^\w+ (?:\/public)?\/room\/(?!create$|list$)([^/]+)$/.exec(title) ?? [];
  // The title has the name of a request's room, which its line may have as a hash.
  const done = lines.filter(({ event }) => event !== "request");
  const rooms = new Set([...done.map((line) => line.room), room]);
  // The host responds with 500 to a run that has logged no response, for example because its process has ended.
  const hasFailed = outcome !== "Succeeded";
  const status = request?.status ?? (trigger.kind === "request" && hasFailed ? 500 : undefined);
  const isBad = hasFailed || (status ?? 0) >= 500;
  const failure = request ?? lines.find(({ event }) => event === "provisioning-failed");
  return {
    time: Date.now(),
    kind: functionName === "eventSink" ? "event" : trigger.kind,
    tone: isBad ? "bad" : (status ?? 0) >= 400 ? "warning" : "good",
    title,
    durationMilliseconds,
    steps: [...Map.groupBy(steps, (step) => step)].map(([step, { length }]) =>
      length === 1 ? step : `${step} × ${length}`,
    ),
    rooms: [...rooms].filter((name) => name !== undefined),
    ...(status !== undefined && { status }),
    ...(correlationId !== undefined && { correlationId }),
    ...(isBad && failure && { cause: describeLoggedFailure(failure) }),
  };
}
