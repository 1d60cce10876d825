/** What happened: each run of a function, as the app's log tells it, with outages and what people do on the platform. */
import * as z from "zod";
import { type Line, readLine } from "../../log/reading.ts";
import { describeLine, describeLoggedFailure, phrase } from "../../log/words.ts";
import type { AppState, LogEntry, Trigger } from "../../simulators/host/messages.ts";
import { decodeName, stateTitles, type TimelineEntry, withNewest } from "./console-state.ts";

type States = NonNullable<TimelineEntry["states"]>;

const maxOpenRuns = 500;

/** The lines that say that a room has entered a state. */
const statesByEvent: Readonly<Record<string, States[string]>> = {
  "room-provisioned": "provisioning",
  "room-claimed": "assigned",
  "room-queued-for-deletion": "ended",
  "room-discarded": "ended",
  "room-deleted": "gone",
};

const participantSchema = z.object({ conference: z.string(), display_name: z.string(), uuid: z.string() });
const conferenceSchema = z.object({ name: z.string() });

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const linesByRun = new Map<string, Line[]>();
  const latest = new Map<string, { readonly state: States[string]; readonly time: number }>();
  const listeners = new Set<(entry: TimelineEntry) => void>();
  let entries: readonly TimelineEntry[] = [];
  let isUp = true;
  let added = 0;

  function add(entry: TimelineEntry): void {
    entries = withNewest(entries, entry);
    for (const [room, state] of Object.entries(entry.states ?? {})) {
      if (state === "gone") latest.delete(room);
      else latest.set(room, { state, time: entry.time });
    }
    for (const listener of listeners) listener(entry);
  }

  function addNow(kind: "outage" | "room", title: string, details: Partial<TimelineEntry> = {}): void {
    added += 1;
    add({
      id: `${title} ${added}`,
      time: Date.now(),
      kind,
      tone: "good",
      title,
      steps: [],
      rooms: [],
      ...details,
    });
  }

  return {
    /** Receives the host's log, from before the console has started. */
    onLog: (entry: LogEntry): void => {
      const { message, functionName, invocationId, category, trigger } = entry;
      if (functionName === undefined || invocationId === undefined) return;
      const lines = linesByRun.get(invocationId) ?? [];
      if (category.endsWith(".User")) {
        const line = readLine(message);
        if (line) linesByRun.set(invocationId, [...lines, line]);
        for (const run of [...linesByRun.keys()].slice(0, -maxOpenRuns)) linesByRun.delete(run);
        return;
      }
      const [, outcome, duration] = /^Executed .*\((\w+),.*Duration=(\d+)ms\)/.exec(message) ?? [];
      if (outcome === undefined || !trigger) return;
      linesByRun.delete(invocationId);
      const succeeded = outcome === "Succeeded";
      add(
        toEntry({
          id: invocationId,
          functionName,
          trigger,
          lines,
          succeeded,
          milliseconds: Number(duration),
        }),
      );
    },
    /** Receives each state of the gateway's app. Its first start is no entry. */
    onState: ({ state, reason }: AppState): void => {
      const tone = state === "up" ? "good" : "bad";
      const steps = reason === undefined ? [] : [reason];
      if (state !== "up" || !isUp)
        addNow("outage", `Gateway ${state === "up" ? "up again" : state}`, { tone, steps });
      isUp = state === "up";
    },
    /** Receives what a node of the platform tells the event sink. */
    onPlatformEvent: (_node: string, event: string, data: unknown): void => {
      const participant = participantSchema.safeParse(data).data;
      if (participant) {
        const { uuid, conference, display_name } = participant;
        const does = event === "participant_connected" ? "joined" : "left";
        addNow("room", `${display_name} ${does}`, { id: `${uuid} ${does}`, rooms: [conference] });
      }
      const room = conferenceSchema.safeParse(data).data?.name;
      if (room === undefined) return;
      if (event === "conference_ended") latest.delete(room);
      // The other nodes of a conference start it as well.
      if (event === "conference_started" && latest.get(room)?.state !== "live")
        addNow("room", stateTitles.live, { rooms: [room], states: { [room]: "live" } });
    },
    /** Receives that a part around the gateway went down, or came back. */
    onPart: (name: string, isDown: boolean): void =>
      addNow("outage", `${name} ${isDown ? "down" : "up again"}`, { tone: isDown ? "bad" : "good" }),
    entries: () => entries,
    /** Calls the listener with each entry that is new or has changed. Returns the function that ends it. */
    subscribe: (listener: (entry: TimelineEntry) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** When a room was queued for deletion, in milliseconds since 1970. Undefined if it is not. */
    endedAt: (room: string): number | undefined => {
      const { state, time } = latest.get(room) ?? {};
      return state === "ended" ? time : undefined;
    },
  };
}

interface Run {
  readonly id: string;
  readonly functionName: string;
  readonly trigger: Trigger;
  readonly lines: readonly Line[];
  readonly succeeded: boolean;
  readonly milliseconds: number;
}

function toEntry({ id, functionName, trigger, lines, succeeded, milliseconds }: Run): TimelineEntry {
  const request = lines.find(({ event }) => event === "request");
  const { code, ignored, correlationId } = request ?? {};
  const steps = lines.filter((line) => line !== request).map(describeLine);
  if (ignored !== undefined) steps.push(`Event ignored (${request?.kind ?? ignored})`);
  if (code !== undefined && !steps.some((step) => step.startsWith(phrase(code)))) steps.push(phrase(code));
  const title = trigger.kind === "request" ? trigger.title : functionName;
  const [, room] = /^\w+ (?:\/public)?\/room\/(?!create$|list$)([^/]+)$/.exec(title) ?? [];
  const roomNames = [...lines.map((line) => line.room), room && decodeName(room)];
  const states = lines.flatMap((line) => {
    const state = statesByEvent[line.event];
    return state === undefined || line.room === undefined ? [] : [[line.room, state]];
  });
  // The host responds with 500 to a run that has logged no response, for example because its process has ended.
  const status = request?.status ?? (trigger.kind === "request" && !succeeded ? 500 : undefined);
  const failed = !succeeded || (status ?? 0) >= 500;
  return {
    id,
    time: Date.now(),
    kind: functionName === "eventSink" ? "event" : trigger.kind,
    tone: failed ? "bad" : (status ?? 0) >= 400 ? "warning" : "good",
    title,
    durationMilliseconds: request?.durationMilliseconds ?? milliseconds,
    steps: countRepeats(steps),
    rooms: [...new Set(roomNames.filter((name) => name !== undefined))],
    ...(states.length > 0 && { states: Object.fromEntries(states) }),
    ...(status !== undefined && { status }),
    ...(correlationId !== undefined && { correlationId }),
    ...(failed && request && { cause: describeLoggedFailure(request) }),
  };
}

function countRepeats(steps: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const step of steps) counts.set(step, (counts.get(step) ?? 0) + 1);
  return [...counts].map(([step, count]) => (count === 1 ? step : `${step} × ${count}`));
}
