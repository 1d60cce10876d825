/** GET /room/{room_name}: one room by its exact name. */

import { roomRoute } from "../lib/api/room-route.ts";
import { Room, ShapeQuery } from "../lib/api/room-schemas.ts";
import { toReadRoom } from "../lib/api/room-shapes.ts";
import { GatewayError } from "../lib/errors.ts";
import { json, queryFunction } from "../lib/http/http-function.ts";
import type { Conferences } from "../lib/platform/conferences.ts";

export const getRoom = queryFunction({
  method: "GET",
  route: roomRoute,
  access: "application",
  summary: "Read a room",
  description: "The room of exactly this name, with its host PIN, in the constrained or the full shape.",
  query: ShapeQuery,
  answers: { 200: Room },
  failures: ["room-not-found", "platform-rejected", "platform-unavailable", "platform-timeout"],
  async handle({ query, roomName }, { conferences }: { conferences: Pick<Conferences, "findByName"> }) {
    const room = await conferences.findByName(roomName);
    if (!room) throw new GatewayError("room-not-found");
    return json(200, toReadRoom(room, { constrained: query.constrained_attributes, showHostPin: true }));
  },
});
