/** What happens, newest first. */
import { useState } from "preact/hooks";
import type { TimelineEntry } from "../console-state.ts";
import { duration, timeOfDay } from "./format.ts";
import { roomAddress } from "./route.ts";

const maxShown = 150;

const kinds = [
  ["all", "Everything"],
  ["request", "Requests"],
  ["event", "Platform events"],
  ["timer", "Timers"],
  ["queue", "Queue runs"],
] as const;

const kindNames: Readonly<Record<TimelineEntry["kind"], string>> = {
  request: "request",
  event: "event",
  timer: "timer",
  queue: "queue",
  state: "room",
};

export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const [kind, setKind] = useState<string>("all");
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = entries
    .filter((entry) => entry.kind !== "state" && (kind === "all" || entry.kind === kind))
    .filter((entry) => textOf(entry).includes(wanted))
    .slice(-maxShown)
    .toReversed();
  return (
    <section class="card" aria-labelledby="timeline-title">
      <div class="card-head">
        <h2 id="timeline-title">Timeline</h2>
        <select
          aria-label="Show in the timeline"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value)}
        >
          {kinds.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <input
          type="search"
          placeholder="Room, path, status"
          aria-label="Search the timeline by room, path or status"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="List of what happened">
        <EntryList entries={shown} linksRooms />
        {shown.length === 0 && <p class="none">Nothing matches.</p>}
      </div>
    </section>
  );
}

export function EntryList({
  entries,
  linksRooms,
}: {
  entries: readonly TimelineEntry[];
  linksRooms?: boolean;
}) {
  return (
    <ol class="entries">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} linksRooms={linksRooms ?? false} />
      ))}
    </ol>
  );
}

function Entry({ entry, linksRooms }: { entry: TimelineEntry; linksRooms: boolean }) {
  const { kind, tone, title, status, durationMilliseconds, caller, correlationId, steps, rooms } = entry;
  const [room, ...others] = rooms;
  return (
    <li class={`entry ${tone}`}>
      <time dateTime={new Date(entry.time).toISOString()}>{timeOfDay(entry.time)}</time>
      <span class={`kind ${kind}`}>{kindNames[kind]}</span>
      <div class="what">
        <span class="title">{title}</span>
        {status !== undefined && <span class={`status ${tone}`}>{status}</span>}
        {status === undefined && tone === "bad" && <span class="status bad">failed</span>}
        {durationMilliseconds !== undefined && <span class="muted">{duration(durationMilliseconds)}</span>}
        {steps.length > 0 && <p class="steps">{steps.join(" · ")}</p>}
        {linksRooms && room !== undefined && (
          <p class="steps">
            <a class="room-name" href={roomAddress(room)}>
              {room}
            </a>
            {others.length > 0 && ` and ${others.length} more`}
          </p>
        )}
        {(caller ?? correlationId) !== undefined && (
          <p class="ids">
            {caller !== undefined && <>caller {caller} </>}
            {correlationId !== undefined && <>correlation {correlationId}</>}
          </p>
        )}
      </div>
    </li>
  );
}

function textOf({ title, status, rooms, steps, caller, correlationId }: TimelineEntry): string {
  return [title, status, ...rooms, ...steps, caller, correlationId].join(" ").toLowerCase();
}
