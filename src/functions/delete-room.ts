/** DELETE /room/{room_name}: deletes a room on the platform. */
import { platformFailures } from "../lib/errors.ts";
import { httpFunction } from "../lib/http/contract.ts";
import type { Conferences } from "../lib/platform/conferences.ts";
import { PlatformError } from "../lib/platform/errors.ts";
import { findRoom, roomRoute } from "../lib/rooms/read.ts";

export const deleteRoom = httpFunction({
  method: "DELETE",
  route: roomRoute,
  access: "application",
  summary: "Delete a room",
  description:
    "Deletes the room with exactly this name, even if it has participants. They stay connected, and the nodes let callers join for up to about 90 seconds.",
  responses: { 204: null },
  failures: ["room-not-found", ...platformFailures],
  async handle({ roomName }, { conferences }: { conferences: Conferences }, log) {
    const room = await findRoom(conferences, roomName);
    const wasThere = await conferences.delete(room.id);
    // A room that is gone by now counts as deleted: an earlier call may have deleted it and lost its response.
    if (!wasThere && (await conferences.findByName(room.name)))
      throw new PlatformError({
        outcome: "unknown",
        method: "DELETE",
        status: 404,
        message: "the platform shows the room that it does not find",
      });
    log.info("room-deleted", { room: room.name, wasThere });
    return { status: 204 };
  },
});
