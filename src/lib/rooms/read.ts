/** Reads one room: the route, the contract and the search that its operations share. */
import { GatewayError, platformFailures } from "../errors.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { ShapeQuery } from "./schemas.ts";

/**
 * The route of one room, with different methods. The host takes the first matching route in the order of the function
 * names, so the parameter must not match the literal routes `room/list` and `room/bulk`. This constraint has been tested
 * on the real host.
 */
export const roomRoute = "room/{room_name:regex(^(?!list$|bulk$).+$)}";

/** The shared part of the contracts that return one room. */
export const roomReading = {
  method: "GET",
  query: ShapeQuery,
  failures: ["room-not-found", ...platformFailures],
} as const;

/** The platform's limit of a name. */
const maxNameCharacters = 250;

/**
 * Returns the room with exactly this name. Throws `room-not-found` or PlatformError. The platform is not asked for a
 * name that is longer than it allows, because it would reject the request.
 */
export async function findRoom(
  conferences: Pick<Conferences, "findByName">,
  name: string,
): Promise<ConferenceRow> {
  const isTooLong = Array.from(name).length > maxNameCharacters;
  const room = isTooLong ? undefined : await conferences.findByName(name);
  if (!room) throw new GatewayError("room-not-found");
  return room;
}
