/** One room's whole life: the diagram of states, with the present one lit, beside all that happened. */
import { useEffect, useRef } from "preact/hooks";
import { roomStates, type Snapshot, stateTitles, type TimelineEntry } from "../console-state.ts";
import { age, stateStyle, timeOfDay } from "./format.ts";
import { conferenceText } from "./rooms-table.tsx";
import { EntryList } from "./timeline-view.tsx";

export interface RoomLifeProps {
  readonly name: string;
  readonly snapshot: Snapshot;
  readonly entries: readonly TimelineEntry[];
}

export function RoomLife({ name, snapshot, entries }: RoomLifeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  const own = entries.filter(({ rooms }) => rooms.includes(name));
  const room = snapshot.rooms.find((row) => row.name === name);
  const isDeleted = !room && own.length > 0;
  return (
    <article class="life">
      <p>
        <a href="#/">← All rooms</a>
      </p>
      <h2 class="life-title" ref={heading} tabIndex={-1}>
        Room <span class="room-name">{name}</span>
      </h2>
      <p class="figure">
        {room
          ? `${stateTitles[room.state]} for ${age(snapshot.time - room.since)} · tag ${room.hasTag ? "set" : "not set"} · conference ${conferenceText(room)}`
          : isDeleted
            ? "Deleted"
            : "There is no such room."}
      </p>
      <div class="life-parts">
        <section class="card" aria-labelledby="diagram-title">
          <h3 id="diagram-title">State</h3>
          <StateDiagram entries={own} present={room?.state ?? (isDeleted ? "deleted" : undefined)} />
        </section>
        <section class="card" aria-labelledby="life-title">
          <h3 id="life-title">What happened</h3>
          <EntryList entries={own.toSorted((one, other) => one.time - other.time)} />
        </section>
      </div>
    </article>
  );
}

function StateDiagram({
  entries,
  present,
}: {
  entries: readonly TimelineEntry[];
  present: string | undefined;
}) {
  const steps = [
    ...roomStates.map((state) => [state, stateTitles[state]] as const),
    ["deleted", "Deleted"] as const,
  ];
  const position = steps.findIndex(([state]) => state === present);
  return (
    <ol class="diagram">
      {steps.map(([state, title], index) => {
        const entered = entries.find(
          (entry) => (entry.state ?? "deleted") === state && entry.kind === "state",
        );
        const isPresent = state === present;
        return (
          <li
            key={state}
            class={`step ${isPresent ? "present" : index < position && entered ? "past" : ""}`}
            style={stateStyle(state)}
            aria-current={isPresent ? "step" : undefined}
          >
            <span class="step-name">{title}</span>
            {entered && <span class="muted">{timeOfDay(entered.time)}</span>}
          </li>
        );
      })}
    </ol>
  );
}
