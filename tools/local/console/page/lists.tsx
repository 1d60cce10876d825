/** The lists of the page: rooms, what happened, and what the app logged. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type LoggedLine, type RoomRow, stateTitles, type TimelineEntry } from "../console-state.ts";
import { age, amount, duration, requestAddress, roomAddress, stateStyle, timeOfDay } from "./format.ts";

const maxShown = 150;
/** So many equal runs in a row are shown as one. */
const minGrouped = 3;
/** The same in every line, or shown elsewhere. */
const leftOut = ["event", "correlationId", "invocationId", "causes"];
/** The rooms in use first, and of each state the youngest first. */
const stateOrder = ["live", "assigned", "ended", "deleting", "provisioning", "pooled"];

export const inOrder = (one: RoomRow, other: RoomRow): number =>
  stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) || other.since - one.since;

interface ListProps {
  readonly title: string;
  /** What is shown instead of an empty list. */
  readonly none: string;
  readonly count?: number;
  readonly isEmpty: boolean;
  readonly children: ComponentChildren;
}

/** A card with a list, which scrolls, so that it must be reachable by keyboard. */
function List({ title, none, count, isEmpty, children }: ListProps) {
  return (
    <section class="card">
      <h2>
        {title} {count !== undefined && <span class="muted">{count}</span>}
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        {isEmpty ? <p class="none">{none}</p> : children}
      </div>
    </section>
  );
}

/** The roles are explicit, because a narrow page lays the rows out as blocks. */
export function Rooms({ rooms, now }: { rooms: readonly RoomRow[]; now: number }) {
  return (
    <List title="Rooms" none="There is no room." count={rooms.length} isEmpty={rooms.length === 0}>
      <table role="table">
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
          {rooms.toSorted(inOrder).map(({ name, state, since, hasTag, nodes, participants }) => (
            <tr key={name} role="row">
              <td role="cell">
                <a class="room-name" href={roomAddress(name)}>
                  {name}
                </a>
              </td>
              <td role="cell">
                <span class="badge" style={stateStyle(state)}>
                  {stateTitles[state]}
                </span>
              </td>
              <td role="cell" class="number">
                {age(now - since)}
              </td>
              <td role="cell">{hasTag ? "set" : "–"}</td>
              <td role="cell">
                {nodes.length === 0 ? "–" : amount(participants.length, "person", "people")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </List>
  );
}

/** What happened, the newest first. Equal consecutive runs are one entry, which shows each of them when it is opened. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const shown = grouped(entries.filter(({ kind }) => kind !== "room").toReversed()).slice(0, maxShown);
  return (
    <List title="Timeline" none="Nothing has happened yet. Create a room." isEmpty={shown.length === 0}>
      <ol class="entries">
        {shown.map((group) => (
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
  const essence = ({ kind, title, tone, status, steps }: TimelineEntry) =>
    JSON.stringify([kind, title, tone, status, steps]);
  return one.kind !== "outage" && essence(one) === essence(other);
}

/** The parts of a row are separated by spaces, so that they are separate words when they are read out or copied. */
function Entry({ group }: { group: Group }) {
  const [entry] = group;
  const { time, kind, tone, title, status, durationMilliseconds, correlationId, steps } = entry;
  const [room, ...others] = new Set(group.flatMap((one) => one.rooms));
  const isGroup = group.length > 1;
  const hasFailed = status === undefined && tone === "bad" && kind !== "outage";
  return (
    <li class={`entry ${tone}`}>
      <time dateTime={new Date(time).toISOString()}>{timeOfDay(time)}</time>{" "}
      <span class={`kind ${kind}`}>{kind}</span>{" "}
      <div class="what">
        <span class="title">
          {title}
          {isGroup && ` × ${group.length}`}
        </span>{" "}
        {status !== undefined && <span class={`status ${tone}`}>{status}</span>}{" "}
        {hasFailed && <span class="status bad">failed</span>}{" "}
        {isGroup && <span class="muted">since {timeOfDay(group.at(-1)?.time ?? time)}</span>}
        {!isGroup && durationMilliseconds !== undefined && (
          <span class="muted unit">{duration(durationMilliseconds)}</span>
        )}{" "}
        {steps.length > 0 && <p class="steps">{steps.join(" · ")}</p>}{" "}
        {room !== undefined && (
          <p class="steps">
            <a class="room-name" href={roomAddress(room)}>
              {room}
            </a>
            {others.length > 0 && ` and ${others.length} more`}
          </p>
        )}{" "}
        {!isGroup && correlationId !== undefined && kind !== "queue" && kind !== "timer" && (
          <p class="ids">
            correlation <a href={requestAddress(correlationId)}>{correlationId}</a>
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
