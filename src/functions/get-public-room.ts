/** GET /public/room/{room_name}: one room for the agent's desktop, without the host PIN. */

import { Room, ShapeQuery } from "../lib/api/room-schemas.ts";
import { toReadRoom } from "../lib/api/room-shapes.ts";
import { GatewayError } from "../lib/errors.ts";
import { json, queryFunction } from "../lib/http/http-function.ts";
import type { Conferences } from "../lib/platform/conferences.ts";

export const getPublicRoom = queryFunction({
  method: "GET",
  route: "public/room/{room_name}",
  access: "agent",
  summary: "Read a room as an agent",
  description: "The room of exactly this name in the constrained or the full shape, without its host PIN.",
  query: ShapeQuery,
  answers: { 200: Room },
  failures: ["room-not-found", "platform-rejected", "platform-unavailable", "platform-timeout"],
  async handle({ query, roomName }, { conferences }: { conferences: Pick<Conferences, "findByName"> }) {
    const room = await conferences.findByName(roomName);
    if (!room) throw new GatewayError("room-not-found");
    return json(200, toReadRoom(room, { constrained: query.constrained_attributes, showHostPin: false }));
  },
});
