/** The lists of the page: rooms, what happened, and what the app logged. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type LoggedLine, type RoomRow, stateTitles, type TimelineEntry } from "../console-state.ts";
import { age, amount, duration, roomAddress, stateStyle, timeOfDay } from "./format.ts";

const maxShown = 150;
/** The same in every line, or shown elsewhere. */
const leftOut = ["event", "correlationId", "invocationId", "causes"];
/** The rooms in use first, and of each state the youngest first. */
const stateOrder = ["live", "assigned", "ended", "deleting", "provisioning", "pooled"];

export const inOrder = (one: RoomRow, other: RoomRow): number =>
  stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) || other.since - one.since;

interface ListProps {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}

/** A card with a list, which scrolls, so that it must be reachable by keyboard. */
function List({ title, count, children }: ListProps) {
  return (
    <section class="card">
      <h2>
        {title} {count !== undefined && <span class="muted">{count}</span>}
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
    </section>
  );
}

/** The roles are explicit, because a narrow page lays the rows out as blocks. */
export function Rooms({ rooms, now }: { rooms: readonly RoomRow[]; now: number }) {
  return (
    <List title="Rooms" count={rooms.length}>
      {rooms.length === 0 && <p class="none">There is no room.</p>}
      <table role="table" hidden={rooms.length === 0}>
        <thead role="rowgroup">
          <tr role="row">
            {["Name", "State", "For", "Tag", "Conference"].map((title) => (
              <th key={title} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rooms.toSorted(inOrder).map((room) => (
            <tr key={room.name} role="row">
              {cellsOf(room, now).map((cell, index) => (
                <td key={index} role="cell">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </List>
  );
}

function cellsOf({ name, state, since, hasTag, nodes, participants }: RoomRow, now: number) {
  return [
    <RoomLink name={name} />,
    <span class="badge" style={stateStyle(state)}>
      {stateTitles[state]}
    </span>,
    <span class="unit">{age(now - since)}</span>,
    hasTag ? "set" : "–",
    nodes.length === 0 ? "–" : amount(participants.length, "person", "people"),
  ];
}

function RoomLink({ name }: { name: string }) {
  return (
    <a class="room-name" href={roomAddress(name)}>
      {name}
    </a>
  );
}

/** What happened, the newest first. Equal consecutive runs are one entry, which shows each of them when it is opened. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const shown = entries.filter(({ kind }) => kind !== "room").toReversed();
  return (
    <List title="Timeline">
      {shown.length === 0 && <p class="none">Nothing has happened yet. Create a room.</p>}
      <ol class="entries">
        {grouped(shown)
          .slice(0, maxShown)
          .map((group) => (
            <Entry key={group.at(-1)?.id} group={group} />
          ))}
      </ol>
    </List>
  );
}

export function EntryList({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol class="entries">
      {entries.map((entry) => (
        <Entry key={entry.id} group={[entry]} />
      ))}
    </ol>
  );
}

export function LoggedLines({ lines }: { lines: readonly LoggedLine[] }) {
  const details = (fields: LoggedLine["fields"]): string =>
    Object.entries(fields)
      .filter(([name]) => !leftOut.includes(name))
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" ");
  return (
    <ol class="entries lines">
      {lines.map(({ time, fields }, index) => (
        <li key={index} class="entry">
          <time dateTime={time}>{timeOfDay(Date.parse(time))}</time> <b>{String(fields["event"])}</b>{" "}
          <code>{details(fields)}</code>
        </li>
      ))}
    </ol>
  );
}

type Group = [TimelineEntry, ...TimelineEntry[]];

/** Joins neighbours that differ in their room, IDs and times only. */
function grouped(entries: readonly TimelineEntry[]): Group[] {
  const essence = ({ id, kind, title, tone, status, steps }: TimelineEntry) =>
    JSON.stringify(kind === "outage" ? id : [kind, title, tone, status, steps]);
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && essence(last[0]) === essence(entry)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** The parts of a row are separated by spaces, so that they are separate words when they are read out or copied. */
function Entry({ group }: { group: Group }) {
  const [entry] = group;
  const { time, kind, tone, title, status, durationMilliseconds, correlationId, steps } = entry;
  const [room, ...others] = new Set(group.flatMap((one) => one.rooms));
  const isGroup = group.length > 1;
  const hasFailed = tone === "bad" && kind !== "outage";
  const took = durationMilliseconds === undefined ? undefined : duration(durationMilliseconds);
  const since = isGroup ? `since ${timeOfDay(group.at(-1)?.time ?? time)}` : took;
  return (
    <li class={`entry ${tone}`}>
      <time dateTime={new Date(time).toISOString()}>{timeOfDay(time)}</time>{" "}
      <span class={`kind ${kind}`}>{kind}</span>{" "}
      <div class="what">
        <span class="title">{isGroup ? `${title} × ${group.length}` : title}</span>{" "}
        {(status !== undefined || hasFailed) && <span class={`status ${tone}`}>{status ?? "failed"}</span>}{" "}
        <span class="muted unit">{since}</span> {steps.length > 0 && <p class="steps">{steps.join(" · ")}</p>}{" "}
        {room !== undefined && (
          <p class="steps">
            <RoomLink name={room} />
            {others.length > 0 && ` and ${others.length} more`}
          </p>
        )}{" "}
        {!isGroup && correlationId !== undefined && kind !== "queue" && kind !== "timer" && (
          <p class="ids">
            correlation <a href={`#/request/${correlationId}`}>{correlationId}</a>
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
      {isOpen && <EntryList entries={entries} />}
    </details>
  );
}
