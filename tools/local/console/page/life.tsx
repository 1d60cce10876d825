/** One room, with the diagram of its states beside its history; or one request, with what the app logged about it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  type LoggedLine,
  type RoomRow,
  type RoomState,
  roomStates,
  type Snapshot,
  stateTitles,
  type TimelineEntry,
} from "../console-state.ts";
import { CopyButton } from "./actions.tsx";
import { age, amount, stateStyle, timeOfDay } from "./format.ts";
import { EntryList, LoggedLines } from "./lists.tsx";
import type { LiveData } from "./live-data.ts";

interface LifeProps {
  readonly kind: "Room" | "Request";
  readonly name: string;
  readonly figures: readonly string[];
  readonly children: ComponentChildren;
}

function Life({ kind, name, figures, children }: LifeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  return (
    <article class="life">
      <p>
        <a href="#/">← Overview</a>
      </p>
      <h2 class="life-title" ref={heading} tabIndex={-1}>
        {kind} <span class="room-name">{name}</span>{" "}
        <CopyButton text={name} what={`name of the ${kind.toLowerCase()}`} />
      </h2>
      {figures.map((figure) => (
        <p key={figure} class="figure">
          {figure}
        </p>
      ))}
      {children}
    </article>
  );
}

function History({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <section class="card">
      <h3>What happened</h3>
      <EntryList entries={entries} />
    </section>
  );
}

export function RequestLife({ id, entries }: { id: string; entries: readonly TimelineEntry[] }) {
  const [lines, setLines] = useState<readonly LoggedLine[]>();
  const own = entries.filter(({ correlationId }) => correlationId === id);
  useEffect(() => {
    const read = async (): Promise<LoggedLine[]> => (await fetch(`/lines/${encodeURIComponent(id)}`)).json();
    read().then(setLines, () => setLines([]));
  }, [id, own.length]);
  const figures = lines?.length === 0 ? ["The app has logged no line with this correlation ID."] : [];
  return (
    <Life kind="Request" name={id} figures={figures}>
      {own.length > 0 && <History entries={own} />}
      {lines?.[0] && (
        <section class="card">
          <h3>What the app logged</h3>
          <LoggedLines lines={lines} />
        </section>
      )}
    </Life>
  );
}

type Step = RoomState | "gone";

const steps: readonly Step[] = [...roomStates, "gone"];

export function RoomLife({ name, snapshot, data }: { name: string; snapshot: Snapshot; data: LiveData }) {
  const own = data.entries.filter(({ rooms }) => rooms.includes(name));
  const room = snapshot.rooms.find((row) => row.name === name);
  const entered = stepsOf(name, own, data, snapshot.time);
  const present = room?.state ?? (entered.has("gone") ? "gone" : undefined);
  const figures = room && figuresOf(room, snapshot.time, data.deletedAfterSeconds);
  const missing = entered.has("gone") ? stateTitles.gone : "There is no such room.";
  return (
    <Life kind="Room" name={name} figures={figures ?? [missing]}>
      <div class="life-parts">
        {present && (
          <section class="card">
            <h3>State</h3>
            <StateDiagram entered={entered} present={present} />
          </section>
        )}
        {own.length > 0 && <History entries={own.map((entry) => ({ ...entry, rooms: [] }))} />}
      </div>
    </Life>
  );
}

/** Returns when a room last entered its states: as the log and the platform say, and when a delay was over. */
function stepsOf(
  name: string,
  entries: readonly TimelineEntry[],
  { pooledAfterSeconds, deletedAfterSeconds }: LiveData,
  now: number,
): Map<Step, number> {
  const entered = new Map<Step, number>();
  for (const { states, time } of entries) {
    const state = states?.[name];
    if (state !== undefined) entered.set(state, time);
  }
  const delays = [
    ["provisioning", "pooled", pooledAfterSeconds, "assigned"],
    ["ended", "deleting", deletedAfterSeconds, "gone"],
  ] as const;
  for (const [from, to, seconds, next] of delays) {
    const over = (entered.get(from) ?? Number.POSITIVE_INFINITY) + seconds * 1000;
    if (over <= (entered.get(next) ?? now)) entered.set(to, over);
  }
  return entered;
}

/** Says in which state the room is, what comes next, and when. */
function figuresOf(room: RoomRow, now: number, deletedAfterSeconds: number): string[] {
  const { state, since, hasTag, nodes, participants } = room;
  const dueAt = since + deletedAfterSeconds * 1000;
  const next = {
    provisioning: "Next: it can be handed out once the conferencing nodes know it.",
    pooled: "Next: a create hands it out.",
    assigned: "Next: citizen and agent join.",
    live: "Next: when its conference ends, it waits to be deleted.",
    ended: `Next: it may be deleted in ${age(dueAt - now)}, at ${timeOfDay(dueAt)}; the timer runs every 10 minutes.`,
    deleting: "Next: the timer deletes it within 10 minutes. “Collect garbage” does it now.",
  };
  const who = participants.join(", ") || "nobody";
  const conference = nodes.length === 0 ? "no conference" : `${who} · ${amount(nodes.length, "node")}`;
  const tag = hasTag ? "set" : "not set";
  return [`${stateTitles[state]} for ${age(now - since)} · tag ${tag} · ${conference}`, next[state]];
}

function StateDiagram({ entered, present }: { entered: ReadonlyMap<Step, number>; present: Step }) {
  const position = steps.indexOf(present);
  return (
    <ol class="diagram">
      {steps.map((state, index) => {
        const since = entered.get(state);
        const isPresent = index === position;
        const isPast = index < position && since !== undefined;
        return (
          <li
            key={state}
            class={isPresent ? "step present" : isPast ? "step past" : "step"}
            style={stateStyle(state === "gone" ? "deleted" : state)}
            aria-current={isPresent ? "step" : undefined}
          >
            <span class="step-name">{stateTitles[state]}</span>
            {since !== undefined && <span class="muted">{timeOfDay(since)}</span>}
          </li>
        );
      })}
    </ol>
  );
}
