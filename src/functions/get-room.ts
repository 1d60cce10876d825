/** GET /room/{room_name}: returns one room with its host PIN. */
import { httpFunction } from "../lib/http/contract.ts";
import type { Conferences } from "../lib/platform/conferences.ts";
import { findRoom, roomReading, roomRoute } from "../lib/rooms/read.ts";
import { Room } from "../lib/rooms/schemas.ts";
import { toReadRoom } from "../lib/rooms/shapes.ts";

export const getRoom = httpFunction({
  ...roomReading,
  route: roomRoute,
  access: "application",
  summary: "Get a room",
  description: "Returns the room with exactly this name, including its host PIN.",
  responses: { 200: Room },
  async handle({ query, roomName }, { conferences }: { conferences: Conferences }) {
    const room = await findRoom(conferences, roomName);
    const shape = { constrained: query.constrained_attributes, showHostPin: true };
    return { status: 200, body: toReadRoom(room, shape) };
  },
});
