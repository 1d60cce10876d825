/** GET /room/{room_name}: returns one room with its host PIN. */
import { roomReading, roomRoute } from "../lib/rooms/read.ts";

export const getRoom = roomReading({
  route: roomRoute,
  access: "application",
  summary: "Get a room",
  description: "Returns the room with exactly this name, including its host PIN.",
  showHostPin: true,
});
