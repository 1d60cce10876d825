/** `ops rooms`: the gateway's rooms by state. */
import { defineCommand } from "../command.ts";
import { choice, flag } from "../options.ts";
import { requirePlatform } from "../require-platform.ts";
import { type RoomView, readRooms, roomStates } from "../rooms/room-views.ts";
import { age, count, table } from "../terminal/format.ts";

export const rooms = defineCommand({
  name: "rooms",
  summary: "lists the rooms with the gateway's marker by state",
  details: [
    "SETTINGS is `current` if the room was made with the settings that new rooms get, otherwise `other`.",
    "A room without the marker is not the gateway's and is not listed.",
  ],
  options: {
    state: choice(roomStates, "lists only rooms in this state"),
    json: flag("prints one JSON array"),
  },
  run: async ({ options }, { connect, terminal }) => {
    const target = await connect();
    const all = await readRooms(requirePlatform(target));
    const fingerprint = await target.fingerprint();
    const shown = all.filter(({ state }) => options.state === undefined || state === options.state);
    if (options.json) {
      const list = shown.map(({ name, state, marker }) => ({ ...marker, name, state, marker: marker.state }));
      terminal.print(JSON.stringify(list));
      return "ok";
    }
    const counts = roomStates.map((state) => `${all.filter((room) => room.state === state).length} ${state}`);
    terminal.print(`${count(all.length, "room")}: ${counts.join(", ")}`);
    if (shown.length === 0) return "ok";
    terminal.print("");
    const rows = shown.map((room) => rowOf(room, fingerprint));
    for (const line of table([["NAME", "STATE", "SINCE", "SETTINGS"], ...rows])) terminal.print(line);
    return "ok";
  },
});

function rowOf({ name, state, marker }: RoomView, fingerprint: string | undefined): string[] {
  const settings = marker.fingerprint === fingerprint ? "current" : "other";
  return [name, state, age(marker.since, Date.now()), fingerprint === undefined ? "unknown" : settings];
}
