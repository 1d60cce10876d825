/** GET /public/room/{room_name}: returns one room to an agent, without its host PIN. */
import { httpFunction } from "../lib/http/contract.ts";
import type { Conferences } from "../lib/platform/conferences.ts";
import { findRoom, roomReading } from "../lib/rooms/read.ts";
import { Room } from "../lib/rooms/schemas.ts";
import { toReadRoom } from "../lib/rooms/shapes.ts";

export const getPublicRoom = httpFunction({
  ...roomReading,
  route: "public/room/{room_name}",
  access: "agent",
  summary: "Get a room as an agent",
  description:
    "Returns the room with exactly this name, without its host PIN: the constrained shape omits `pin`, " +
    "and the full shape sets it to null.",
  responses: { 200: Room },
  async handle({ query, roomName }, { conferences }: { conferences: Conferences }) {
    const room = await findRoom(conferences, roomName);
    const shape = { constrained: query.constrained_attributes, showHostPin: false };
    return { status: 200, body: toReadRoom(room, shape) };
  },
});
