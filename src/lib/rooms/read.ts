/** Reads one room: the route, the contract and the search that its operations share. */
import { GatewayError, platformFailures } from "../errors.ts";
import { type HttpContract, httpFunction } from "../http/contract.ts";
import { loggableName } from "../ownership/room.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { Room, ShapeQuery } from "./schemas.ts";
import { toReadRoom } from "./shapes.ts";

/**
 * The route of one room, with different methods. The host takes the first matching route in the order of the function
 * names, so the parameter must not match the literal routes `room/list` and `room/bulk`. This constraint has been
 * tested on the real host.
 */
export const roomRoute = "room/{room_name:regex(^(?!list$|bulk$).+$)}";

interface RoomReading extends Pick<HttpContract, "route" | "access" | "summary" | "description"> {
  /** Whether responses contain the host PIN. */
  readonly showHostPin: boolean;
}

/** Returns a function that returns one room. */
export function roomReading({ showHostPin, ...contract }: RoomReading) {
  return httpFunction({
    ...contract,
    method: "GET",
    query: ShapeQuery,
    responses: { 200: Room },
    failures: ["room-not-found", ...platformFailures],
    async handle({ query, roomName }, { conferences }: { conferences: Conferences }) {
      const room = await findRoom(conferences, roomName);
      const shape = { constrained: query.constrained_attributes, showHostPin };
      return { status: 200, body: toReadRoom(room, shape), logFields: { room: loggableName(roomName) } };
    },
  });
}

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
  if (!room) throw new GatewayError("room-not-found", { room: loggableName(name) });
  return room;
}
