/** The table of rooms, which can be searched. Its roles are explicit because a narrow page lays the rows out as blocks. */
import { useState } from "preact/hooks";
import { type RoomRow, stateTitles } from "../console-state.ts";
import { age, amount, roomAddress, stateStyle } from "./format.ts";

/** The rooms in use first, and of each state the youngest first. */
const stateOrder = ["live", "assigned", "ended", "deleting", "provisioning", "pooled"];
export const inOrder = (one: RoomRow, other: RoomRow): number =>
  stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state) || other.since - one.since;

export function RoomsTable({ rooms, now }: { rooms: readonly RoomRow[]; now: number }) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = rooms
    .filter((room) => `${room.name} ${stateTitles[room.state]}`.toLowerCase().includes(wanted))
    .toSorted(inOrder);
  return (
    <section class="card" aria-labelledby="rooms-title">
      <div class="card-head">
        <h2 id="rooms-title">
          Rooms <span class="muted">{rooms.length}</span>
        </h2>
        <input
          type="search"
          placeholder="Name or state"
          aria-label="Search rooms by name or state"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </div>
      {/* A region that scrolls must be reachable by keyboard. */}
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of rooms">
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
            {shown.map((room) => (
              <Row key={room.name} room={room} now={now} />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && (
          <p class="none">{rooms.length === 0 ? "There is no room." : "No room matches."}</p>
        )}
      </div>
    </section>
  );
}

function Row({ room, now }: { room: RoomRow; now: number }) {
  return (
    <tr role="row">
      <td role="cell">
        <a class="room-name" href={roomAddress(room.name)} title={room.name}>
          {room.name}
        </a>
      </td>
      <td role="cell">
        <span class="badge" style={stateStyle(room.state)}>
          {stateTitles[room.state]}
        </span>
      </td>
      <td role="cell" class="number">
        {age(now - room.since)}
      </td>
      <td role="cell">{room.hasTag ? "set" : "–"}</td>
      <td role="cell" title={conferenceText(room)}>
        {conferenceSize(room)}
      </td>
    </tr>
  );
}

/** Returns how many participants a room's conference has. */
function conferenceSize({ nodes, participants }: RoomRow): string {
  if (nodes.length === 0) return "–";
  return participants.length === 1 ? "1 person" : `${participants.length} people`;
}

/** Returns the participants of a room's conference, and the number of its nodes. */
export function conferenceText({ nodes, participants }: RoomRow): string {
  if (nodes.length === 0) return "no conference";
  const who = participants.map(({ name }) => name).join(", ") || "nobody";
  return `${who} · ${amount(nodes.length, "node")}`;
}
