/** The lists of the page: rooms, and what happened. Choosing a room shows only what happened to it. */
import { duration } from "../../../terminal/format.ts";
import { type RoomRow, stateTitles, type TimelineEntry } from "../console-state.ts";
import { inOrder, timeOfDay } from "../view.ts";

const maxRooms = 3;

/** The name of the chosen room, or nothing. */
interface Choice {
  readonly chosen: string | undefined;
  readonly choose: (room: string | undefined) => void;
}

/** Chooses a room, or nothing if it is chosen. */
function Chooser({ room, chosen, choose }: Choice & { room: string }) {
  const isChosen = room === chosen;
  return (
    <button type="button" aria-pressed={isChosen} onClick={() => choose(isChosen ? undefined : room)}>
      {room}
    </button>
  );
}

interface RoomsProps extends Choice {
  readonly rooms: readonly RoomRow[];
  readonly now: number;
}

export function Rooms({ rooms, now, ...choice }: RoomsProps) {
  return (
    <article>
      <h2>Rooms</h2>
      {rooms.length === 0 && <p>There is no room.</p>}
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
            <tr key={name}>
              <td>
                <Chooser room={name} {...choice} />
              </td>
              <td data-state={state}>{stateTitles[state]}</td>
              <td>{duration((now - since) / 1000)}</td>
              <td>{participants.join(", ") || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

/** What happened, in this order. */
export function Timeline({ entries, ...choice }: Choice & { entries: readonly TimelineEntry[] }) {
  const { chosen, choose } = choice;
  return (
    <article>
      <h2>Timeline</h2>
      {chosen !== undefined && (
        <p>
          Only of {chosen}.{" "}
          <button type="button" onClick={() => choose(undefined)}>
            Show all
          </button>
        </p>
      )}
      {entries.length === 0 && <p>Nothing has happened yet. Create a room.</p>}
      <ol>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} {...choice} />
        ))}
      </ol>
    </article>
  );
}

/** The parts of a row are separated by spaces, so that they are separate words when they are read out or copied. */
function Entry({ entry, ...choice }: Choice & { entry: TimelineEntry }) {
  const { time, kind, tone, title, durationMilliseconds, correlationId, steps } = entry;
  const rooms = entry.rooms.filter((room) => room !== choice.chosen);
  const status = entry.status ?? (tone === "bad" ? "failed" : undefined);
  return (
    <li data-tone={tone}>
      <time dateTime={new Date(time).toISOString()}>{timeOfDay(time)}</time> <small>{kind}</small>{" "}
      <b>{title}</b> {status !== undefined && <b>{status}</b>}{" "}
      {durationMilliseconds !== undefined && <small>{durationMilliseconds} ms</small>}
      {steps.length > 0 && <p>{steps.join(" · ")}</p>}
      {correlationId !== undefined && <p>{correlationId}</p>}
      {rooms.slice(0, maxRooms).map((room) => (
        <Chooser key={room} room={room} {...choice} />
      ))}
      {rooms.length > maxRooms && <small>and {rooms.length - maxRooms} more</small>}
    </li>
  );
}
