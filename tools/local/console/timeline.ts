/** What happened: each run of a function, as the app's log tells it, with outages and what people do on the platform. */
import * as z from "zod";
import { type Line, readLine } from "../../log/reading.ts";
import { describeLine, describeLoggedFailure, phrase } from "../../log/words.ts";
import type { AppState, LogEntry } from "../../simulators/host/messages.ts";
import { stateTitles, type TimelineEntry } from "./console-state.ts";

const maxEntries = 1000;

/** The lines that say that a room waits to be deleted. */
const endings = ["room-queued-for-deletion", "room-discarded"];

/** What an event says about a conference, by its name, or about a participant of one. */
const eventSchema = z
  .object({ name: z.string(), conference: z.string(), display_name: z.string(), uuid: z.string() })
  .partial();

export type Timeline = ReturnType<typeof createTimeline>;

/** Creates an empty timeline. */
export function createTimeline() {
  const linesByRun = new Map<string, Line[]>();
  /** Whether each room was last seen live or ended, and since when. */
  const lastStates = new Map<string, { state: "live" | "ended"; time: number }>();
  let entries: readonly TimelineEntry[] = [];
  let isUp = true;
  let added = 0;

  /** Adds an entry, or a changed one of the same ID, at the end. The oldest ones beyond a limit go. */
  function add(entry: TimelineEntry): void {
    entries = [...entries.filter(({ id }) => id !== entry.id), entry].slice(-maxEntries);
  }

  function addNow(kind: "outage" | "room", title: string, details: Partial<TimelineEntry> = {}): void {
    added += 1;
    const own = { id: `${title} ${added}`, time: Date.now(), kind, title };
    add({ ...own, tone: "good", steps: [], rooms: [], ...details });
  }

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
        if (line.room !== undefined && endings.includes(line.event))
          lastStates.set(line.room, { state: "ended", time: Date.now() });
        return;
      }
      const run = toEntry(entry, lines);
      if (!run) return;
      linesByRun.delete(invocationId);
      add({ ...run, id: invocationId });
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
      const { name: room, conference, display_name, uuid } = eventSchema.safeParse(data).data ?? {};
      const does = event === "participant_connected" ? "joined" : "left";
      if (conference !== undefined)
        addNow("room", `${display_name} ${does}`, { id: `${uuid} ${does}`, rooms: [conference] });
      // The other nodes of a conference start it as well.
      if (room === undefined || event !== "conference_started" || lastStates.get(room)?.state === "live")
        return;
      lastStates.set(room, { state: "live", time: Date.now() });
      addNow("room", stateTitles.live, { rooms: [room] });
    },
    /** Receives that a part around the gateway went down, or came back. */
    onPart: (name: string, isDown: boolean): void =>
      addNow("outage", `${name} ${isDown ? "down" : "up again"}`, { tone: isDown ? "bad" : "good" }),
    entries: () => entries,
    lastStates: (): ReadonlyMap<string, { state: "live" | "ended"; time: number }> => lastStates,
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
  const rooms = new Set([...lines.map((line) => line.room), room]);
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
