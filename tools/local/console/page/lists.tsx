/** The lists of the page: rooms, and what happened. Choosing a room or a request shows only what happened to it. */
import type { ComponentChildren } from "preact";
import { duration } from "../../../terminal/format.ts";
import { type RoomRow, stateTitles, type TimelineEntry } from "../console-state.ts";
import { inOrder } from "../view.ts";
import { stateStyle, timeOfDay } from "./format.ts";

const maxRooms = 3;

/** What is chosen: the name of a room, the correlation ID of a request, or nothing. */
export interface Choice {
  readonly chosen: string | undefined;
  readonly choose: (value: string | undefined) => void;
}

interface ListProps {
  readonly title: string;
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A card with a list, which scrolls. Its buttons are reachable by keyboard. */
function List({ title, head, children }: ListProps) {
  return (
    <section class="card">
      <h2>
        {title} {head}
      </h2>
      <div class="scroll">{children}</div>
    </section>
  );
}

/** Chooses a room or a request, or nothing if it is chosen. */
function Chooser({ value, choice: { chosen, choose } }: { value: string; choice: Choice }) {
  const isChosen = value === chosen;
  return (
    <button class="link" aria-pressed={isChosen} onClick={() => choose(isChosen ? undefined : value)}>
      {value}
    </button>
  );
}

interface RoomsProps {
  readonly rooms: readonly RoomRow[];
  readonly now: number;
  /** The names of the rooms to mark. */
  readonly marked: readonly (string | undefined)[];
  readonly choice: Choice;
}

export function Rooms({ rooms, now, marked, choice }: RoomsProps) {
  return (
    <List title="Rooms" head={<span class="muted">{rooms.length}</span>}>
      {rooms.length === 0 && <p class="muted">There is no room.</p>}
      <table hidden={rooms.length === 0}>
        <thead>
          <tr>
            {["Name", "State", "For", "Conference"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder(rooms).map(({ name, state, since, participants }) => (
            <tr key={name} class={marked.includes(name) ? "marked" : ""}>
              <td>
                <Chooser value={name} choice={choice} />
              </td>
              <td>
                <span class="badge" style={stateStyle(state)}>
                  {stateTitles[state]}
                </span>
              </td>
              <td>{duration((now - since) / 1000)}</td>
              <td>{participants.join(", ") || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </List>
  );
}

/** What happened, in this order. */
export function Timeline({ entries, choice }: { entries: readonly TimelineEntry[]; choice: Choice }) {
  const { chosen, choose } = choice;
  const showAll = chosen !== undefined && (
    <span class="muted">
      of <code>{chosen}</code>{" "}
      <button class="link" onClick={() => choose(undefined)}>
        Show all
      </button>
    </span>
  );
  return (
    <List title="Timeline" head={showAll}>
      {entries.length === 0 && <p class="muted">Nothing has happened yet. Create a room.</p>}
      <ol>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} choice={choice} />
        ))}
      </ol>
    </List>
  );
}

/** The parts of a row are separated by spaces, so that they are separate words when they are read out or copied. */
function Entry({ entry, choice }: { entry: TimelineEntry; choice: Choice }) {
  const { time, kind, tone, title, durationMilliseconds, correlationId, steps } = entry;
  const rooms = entry.rooms.filter((room) => room !== choice.chosen);
  const status = entry.status ?? (tone === "bad" && kind !== "outage" ? "failed" : undefined);
  const isCall = kind === "request" || kind === "event";
  return (
    <li class={`entry ${tone}`}>
      <div>
        <time class="muted" dateTime={new Date(time).toISOString()}>
          {timeOfDay(time)}
        </time>{" "}
        <span class={`kind muted ${kind}`}>{kind}</span>
      </div>{" "}
      <div>
        <b>{title}</b> {status !== undefined && <span class="status">{status}</span>}{" "}
        {durationMilliseconds !== undefined && <span class="muted">{durationMilliseconds} ms</span>}
        {steps.length > 0 && <p class="muted">{steps.join(" · ")}</p>}
        <div>
          {rooms.slice(0, maxRooms).map((room) => (
            <Chooser key={room} value={room} choice={choice} />
          ))}
          {rooms.length > maxRooms && <span class="muted">and {rooms.length - maxRooms} more</span>}
          {isCall && correlationId !== undefined && <Chooser value={correlationId} choice={choice} />}
        </div>
      </div>
    </li>
  );
}
