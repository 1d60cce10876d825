/** The timeline, newest entry first. Equal consecutive runs are one entry, which shows each of them when it is opened. */
import { useState } from "preact/hooks";
import type { TimelineEntry } from "../console-state.ts";
import { duration, requestAddress, roomAddress, timeOfDay } from "./format.ts";

const maxShown = 150;
/** So many equal runs in a row are shown as one. */
const minGrouped = 3;

const kinds = [
  ["all", "Everything"],
  ["request", "Requests"],
  ["event", "Platform events"],
  ["timer", "Timers"],
  ["queue", "Queue runs"],
  ["outage", "Outages"],
] as const;

export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const [kind, setKind] = useState<string>("all");
  const [search, setSearch] = useState("");
  const shown = entries
    .filter((entry) => entry.kind !== "state" && (kind === "all" || entry.kind === kind))
    .filter((entry) => matches(entry, search.trim().toLowerCase()))
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
        <ol class="entries">
          {grouped(shown)
            .slice(0, maxShown)
            .map((group) => (
              <Entry key={group.at(-1)?.id} group={group} linksRooms />
            ))}
        </ol>
        {shown.length === 0 && (
          <p class="none">
            {entries.length === 0 ? "Nothing has happened yet. Create a room." : "Nothing matches."}
          </p>
        )}
      </div>
    </section>
  );
}

/** The entries of one room, in the order given. */
export function EntryList({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol class="entries">
      {entries.map((entry) => (
        <Entry key={entry.id} group={[entry]} linksRooms={false} />
      ))}
    </ol>
  );
}

type Group = [TimelineEntry, ...TimelineEntry[]];

/** Joins neighbours that differ in their room, IDs and times only, if there are at least three. */
function grouped(entries: readonly TimelineEntry[]): Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && sameRun(last[0], entry)) last.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) =>
    group.length < minGrouped ? group.map((entry): Group => [entry]) : [group],
  );
}

function sameRun(one: TimelineEntry, other: TimelineEntry): boolean {
  const same = (key: "kind" | "title" | "tone" | "status" | "caller") => one[key] === other[key];
  const isAlike = same("kind") && same("title") && same("tone") && same("status") && same("caller");
  return isAlike && one.kind !== "outage" && one.steps.join() === other.steps.join();
}

/** The parts of a row are separated by spaces, so that they are separate words when they are read out or copied. */
function Entry({ group, linksRooms }: { group: Group; linksRooms: boolean }) {
  const [entry] = group;
  const { kind, tone, title, status, durationMilliseconds, caller, correlationId, steps } = entry;
  const rooms = [...new Set(group.flatMap((one) => one.rooms))];
  const [room, ...others] = rooms;
  const first = group.at(-1) ?? entry;
  const isGroup = group.length > 1;
  const hasIds = !isGroup && kind !== "queue" && kind !== "timer";
  return (
    <li class={`entry ${tone}`}>
      <time dateTime={new Date(entry.time).toISOString()}>{timeOfDay(entry.time)}</time>{" "}
      <span class={`kind ${kind}`}>{kind === "state" ? "room" : kind}</span>{" "}
      <div class="what">
        <span class="title">
          {title}
          {isGroup && ` × ${group.length}`}
        </span>{" "}
        {status !== undefined && <span class={`status ${tone}`}>{status}</span>}{" "}
        {status === undefined && tone === "bad" && kind !== "outage" && (
          <span class="status bad">failed</span>
        )}{" "}
        {isGroup && <span class="muted">since {timeOfDay(first.time)}</span>}
        {!isGroup && durationMilliseconds !== undefined && (
          <span class="muted unit">{duration(durationMilliseconds)}</span>
        )}{" "}
        {steps.length > 0 && <p class="steps">{steps.join(" · ")}</p>}{" "}
        {linksRooms && room !== undefined && (
          <p class="steps">
            <a class="room-name" href={roomAddress(room)}>
              {room}
            </a>
            {others.length > 0 && ` and ${others.length} more`}
          </p>
        )}{" "}
        {hasIds && (caller ?? correlationId) !== undefined && (
          <p class="ids">
            {caller !== undefined && <>caller {caller} </>}
            {correlationId !== undefined && (
              <>
                correlation <a href={requestAddress(correlationId)}>{correlationId}</a>
              </>
            )}
          </p>
        )}
        {isGroup && <Members entries={group} />}
      </div>
    </li>
  );
}

function Members({ entries }: { entries: readonly TimelineEntry[] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="members" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Show each</summary>
      {isOpen && (
        <ol class="entries">
          {entries.map((entry) => (
            <Entry key={entry.id} group={[entry]} linksRooms />
          ))}
        </ol>
      )}
    </details>
  );
}

/** Three digits are a status. Everything else is looked for in what the entry shows. */
function matches(
  { title, status, rooms, steps, caller, correlationId }: TimelineEntry,
  wanted: string,
): boolean {
  if (/^[1-5]\d\d$/.test(wanted)) return String(status) === wanted;
  return [title, ...rooms, ...steps, caller, correlationId].join(" ").toLowerCase().includes(wanted);
}
