/** Reads rooms: the route of one room, the shared contract, and the look-up by name. */
import { GatewayError, platformFailures } from "../errors.ts";
import type { Conferences } from "../platform/conferences.ts";
import { ShapeQuery } from "./schemas.ts";
import { type ShapeOptions, toReadRoom } from "./shapes.ts";

/**
 * The route of one room, with different methods. The host takes the first matching route in the order of the function names, so the parameter must not match the
 * literal routes `room/list` and `room/bulk`. This constraint has been tested on the real host.
 */
export const roomRoute = "room/{room_name:regex(^(?!list$|bulk$).+$)}";

/** What reading a room depends on. */
export interface RoomReadingDependencies {
  readonly conferences: Pick<Conferences, "findByName">;
}

/** The shared part of the contracts. */
export const roomReading = {
  query: ShapeQuery,
  failures: ["room-not-found", ...platformFailures],
} as const;

/** Returns the room with exactly this name. Throws `room-not-found` or PlatformError. */
export async function readRoom(
  { conferences }: RoomReadingDependencies,
  roomName: string,
  shape: ShapeOptions,
): Promise<object> {
  const room = await conferences.findByName(roomName);
  if (!room) throw new GatewayError("room-not-found");
  return toReadRoom(room, shape);
}
