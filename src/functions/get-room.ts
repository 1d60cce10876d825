/** GET /room/{room_name}: returns one room with its host PIN. */
import { type RoomReadingDependencies, readRoom, roomReading } from "../lib/api/room-reading.ts";
import { roomRoute } from "../lib/api/room-route.ts";
import { Room } from "../lib/api/room-schemas.ts";
import { json, queryFunction } from "../lib/http/http-function.ts";

export const getRoom = queryFunction({
  ...roomReading,
  method: "GET",
  route: roomRoute,
  access: "application",
  summary: "Get a room",
  description: "Returns the room with exactly this name, including its host PIN.",
  responses: { 200: Room },
  async handle({ query, roomName }, dependencies: RoomReadingDependencies) {
    const shape = { constrained: query.constrained_attributes, showHostPin: true };
    return json(200, await readRoom(dependencies, roomName, shape));
  },
});
