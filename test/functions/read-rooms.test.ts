/** GET /room/{room_name}, /public/room/{room_name} and /room/list: who sees which shape. */
import { expect, test } from "vitest";
import { guestPin, hostPin, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

interface Shape {
  readonly name: string;
  readonly what: string;
  readonly shows: object;
  readonly query?: Record<string, string>;
}

test.each<Shape>([
  { name: "getRoom", what: "the short shape with both PINs", shows: { pin: hostPin, guest_pin: guestPin } },
  {
    name: "getRoom",
    what: "the full shape with its PIN",
    shows: { pin: hostPin, description: "" },
    query: { constrained_attributes: "false" },
  },
  { name: "getPublicRoom", what: "the short shape with the guest PIN", shows: { guest_pin: guestPin } },
  {
    name: "getPublicRoom",
    what: "the full shape without PIN",
    shows: { pin: null, description: "" },
    query: { constrained_attributes: "false" },
  },
])("`$name` shows $what", async ({ name, shows, query }) => {
  for (const room of ["another-room", "a-room"]) world.addRoom(room);
  const response = await world.call(name, { roomName: "a-room", ...(query && { query }) });
  expect(response).toMatchObject({ status: 200, json: { name: "a-room", ...shows } });
  expect(Object.hasOwn(Object(response.json), "participant_limit")).toBe(query !== undefined);
  expect(response.text.includes(hostPin)).toBe("pin" in shows && shows.pin === hostPin);
});

const ownName = "abcdefghijklmnopqrstuvwx";
test.each([
  { room: ownName, status: 200, logged: ownName },
  { room: ownName.toUpperCase(), status: 404, logged: ownName.toUpperCase() },
  { room: "John Doe", status: 200, logged: "sha256:6cea57c2fb6c" },
  { room: "Jane Doe", status: 404, logged: "sha256:01332c876518" },
])("The line of a request for the room $room with $status names it as $logged", async (row) => {
  for (const room of [ownName, "John Doe"]) world.addRoom(room);
  expect(await world.call("getPublicRoom", { roomName: row.room })).toMatchObject({ status: row.status });
  expect(JSON.parse(world.functionLog.at(-1) ?? "")).toMatchObject({ event: "request", room: row.logged });
});

test("`listRooms` returns all rooms in the shape that the query names, none if the platform has none", async () => {
  expect(await world.call("listRooms")).toMatchObject({ status: 200, json: [] });
  for (const room of ["a-room", "b-room", "c-room"]) world.addRoom(room);
  const rooms = ["a-room", "b-room", "c-room"].map((name) => ({ name, pin: hostPin }));
  for (const constrained_attributes of ["true", "False"]) {
    const { json } = await world.call("listRooms", { query: { constrained_attributes } });
    expect(json).toMatchObject(rooms);
    expect(Object.hasOwn(Object(json)[0], "participant_limit")).toBe(constrained_attributes === "False");
  }
});
