/** GET /public/room/{room_name}: returns one room to an agent, without its host PIN. */
import { roomReading } from "../lib/rooms/read.ts";

export const getPublicRoom = roomReading({
  route: "public/room/{room_name}",
  access: "agent",
  summary: "Get a room as an agent",
  description:
    "Returns the room with exactly this name, without its host PIN: the constrained shape omits `pin`, " +
    "and the full shape sets it to null.",
  showHostPin: false,
});
