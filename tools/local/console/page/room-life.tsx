/** The life of one room: the diagram of states, with the present one highlighted, beside its history. */
import { useEffect, useRef } from "preact/hooks";
import {
  type RoomRow,
  roomStates,
  type Snapshot,
  stateTitles,
  type TimelineEntry,
} from "../console-state.ts";
import { CopyButton } from "./actions.tsx";
import { age, stateStyle, timeOfDay } from "./format.ts";
import { conferenceText } from "./rooms.tsx";
import { EntryList } from "./timeline.tsx";

export interface RoomLifeProps {
  readonly name: string;
  readonly snapshot: Snapshot;
  readonly entries: readonly TimelineEntry[];
  /** After how many seconds an ended room may be deleted. */
  readonly deletedAfterSeconds: number;
}

export function RoomLife({ name, snapshot, entries, deletedAfterSeconds }: RoomLifeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  const own = entries.filter(({ rooms }) => rooms.includes(name));
  const room = snapshot.rooms.find((row) => row.name === name);
  const isKnown = room !== undefined || own.length > 0;
  return (
    <article class="life">
      <p>
        <a href="#/">← All rooms</a>
      </p>
      <h2 class="life-title" ref={heading} tabIndex={-1}>
        Room <span class="room-name">{name}</span>
      </h2>
      <p>
        <CopyButton text={name} what="name of the room" />
      </p>
      {!isKnown && <p class="figure">There is no such room.</p>}
      {isKnown && (
        <>
          <p class="figure">
            {room
              ? `${stateTitles[room.state]} for ${age(snapshot.time - room.since)} · tag ${room.hasTag ? "set" : "not set"} · ${conferenceText(room)}`
              : "Deleted"}
          </p>
          {room && <p class="figure">{nextOf(room, snapshot.time, deletedAfterSeconds)}</p>}
          <div class="life-parts">
            <section class="card" aria-labelledby="diagram-title">
              <h3 id="diagram-title">State</h3>
              <StateDiagram entries={own} present={room?.state ?? "gone"} now={snapshot.time} />
            </section>
            <section class="card" aria-labelledby="life-title">
              <h3 id="life-title">What happened</h3>
              <EntryList entries={own.toSorted((one, other) => one.time - other.time)} />
            </section>
          </div>
        </>
      )}
    </article>
  );
}

/** Says what comes next for a room, and when. */
function nextOf({ state, since }: RoomRow, now: number, deletedAfterSeconds: number): string {
  const left = since + deletedAfterSeconds * 1000 - now;
  return {
    provisioning: "Next: it can be handed out once the conferencing nodes know it.",
    pooled: "Next: a create hands it out.",
    assigned: "Next: citizen and agent join.",
    live: "Next: when its conference ends, it waits to be deleted.",
    ended: `Next: it may be deleted in ${age(left)}, at ${timeOfDay(since + deletedAfterSeconds * 1000)}; the timer runs every 10 minutes.`,
    deleting: "Next: the timer deletes it within 10 minutes. “Collect garbage” does it now.",
  }[state];
}

interface StateDiagramProps {
  readonly entries: readonly TimelineEntry[];
  readonly present: string;
  readonly now: number;
}

function StateDiagram({ entries, present, now }: StateDiagramProps) {
  const steps = [
    ...roomStates.map((state) => [state, stateTitles[state]] as const),
    ["gone", "Deleted"] as const,
  ];
  const position = steps.findIndex(([state]) => state === present);
  const enteredAt = (state: string): number | undefined =>
    entries.find((entry) => entry.state === state)?.time;
  /** How long the room was in a state: until it entered a later one. */
  const lasted = (index: number, from: number): string => {
    const later = steps.slice(index + 1).flatMap(([state]) => enteredAt(state) ?? []);
    return age(Math.min(...later.filter((time) => time >= from), now) - from);
  };
  return (
    <ol class="diagram">
      {steps.map(([state, title], index) => {
        const entered = enteredAt(state);
        const isPresent = state === present;
        return (
          <li
            key={state}
            class={`step ${isPresent ? "present" : index < position && entered !== undefined ? "past" : ""}`}
            style={stateStyle(state === "gone" ? "deleted" : state)}
            aria-current={isPresent ? "step" : undefined}
          >
            <span class="step-name">{title}</span>
            {entered !== undefined && (
              <span class="muted">
                {timeOfDay(entered)}
                {state !== "gone" && ` · ${lasted(index, entered)}`}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
