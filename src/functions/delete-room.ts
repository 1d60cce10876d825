/** DELETE /room/{room_name}: deletes a room on the platform at once. */

import { roomRoute } from "../lib/api/room-route.ts";
import { GatewayError } from "../lib/errors.ts";
import { empty, noQuery, queryFunction } from "../lib/http/http-function.ts";
import type { Conferences } from "../lib/platform/conferences.ts";

export const deleteRoom = queryFunction({
  method: "DELETE",
  route: roomRoute,
  access: "application",
  summary: "Delete a room at once",
  description: "Deletes the room of exactly this name on the platform, whether or not somebody is in it.",
  query: noQuery,
  answers: { 204: null },
  failures: ["room-not-found", "platform-rejected", "platform-unavailable", "platform-timeout"],
  async handle(
    { roomName },
    { conferences }: { conferences: Pick<Conferences, "findByName" | "delete"> },
    log,
  ) {
    const room = await conferences.findByName(roomName);
    if (!room) throw new GatewayError("room-not-found");
    // It was there: gone by now is as good, as a repeated call finds after an answer that was lost.
    const wasThere = await conferences.delete(room.id);
    log.info("room-deleted", { room: room.name, wasThere });
    return empty(204);
  },
});
