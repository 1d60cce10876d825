/** PATCH /room/{room_name}: updates a room on the platform. */
import { platformFailures } from "../lib/errors.ts";
import { httpFunction } from "../lib/http/contract.ts";
import type { Conferences } from "../lib/platform/conferences.ts";
import { roomRoute } from "../lib/rooms/read.ts";
import { Conference, ConferenceUpdate } from "../lib/rooms/schemas.ts";
import { changeRoom } from "../lib/rooms/update.ts";

export const updateRoom = httpFunction({
  method: "PATCH",
  route: roomRoute,
  access: "application",
  summary: "Update a room",
  description:
    "Updates the given fields of the room with exactly this name. The body may contain all fields of a GET: " +
    "read-only fields are ignored, and `name` and `aliases` must have their present values.",
  body: {
    schema: Conference,
    published: ConferenceUpdate,
    // A room has about 60.
    maxFields: 200,
    requiresJsonType: true,
  },
  responses: { 202: null },
  failures: ["room-not-found", ...platformFailures],
  async handle({ body, roomName }, { conferences }: { conferences: Conferences }, log) {
    await changeRoom(conferences, roomName, body, log);
    return { status: 202 };
  },
});
