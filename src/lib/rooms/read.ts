/** Reads rooms, and converts them to both shapes of the response. */
import { GatewayError, platformFailures } from "../errors.ts";
import {
  type ConferenceRow,
  type Conferences,
  manyRelations,
  singleRelations,
  toObjects,
} from "../platform/conferences.ts";
import { isRoom, withoutMarker } from "../pool/room.ts";
import { textOf, toCreatedRoom } from "./create.ts";
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

/** Returns the room with exactly this name. Throws `room-not-found` or PlatformError. */
export async function findRoom(
  conferences: Pick<Conferences, "findByName">,
  name: string,
): Promise<ConferenceRow> {
  const room = await conferences.findByName(name);
  if (!room) throw new GatewayError("room-not-found");
  return room;
}

/** How a conference is returned. */
interface ShapeOptions {
  /** Whether only the fields needed to join the room are returned. */
  readonly constrained: boolean;
  /** False for public responses, which never contain the host PIN. */
  readonly showHostPin: boolean;
}

/**
 * Returns a conference in the constrained or the full shape. In the constrained shape, services that are not rooms, such
 * as test calls, have an empty PIN and tag. The full shape has every field of the platform except the marker, with
 * relations as arrays of objects.
 */
export function toReadRoom(row: ConferenceRow, { constrained, showHostPin }: ShapeOptions): object {
  if (constrained) {
    const shown = isRoom(row);
    return {
      ...toCreatedRoom(row),
      ...(!shown && { tag: "" }),
      ...(showHostPin && { pin: shown ? textOf(row["pin"]) : "" }),
      aliases: row.aliases ?? [],
    };
  }
  const relations = Object.keys({ ...singleRelations, ...manyRelations }).filter((field) => field in row);
  return {
    ...row,
    ...(typeof row.description === "string" && { description: withoutMarker(row.description) }),
    ...Object.fromEntries(relations.map((field) => [field, toObjects(row[field])])),
    ...(!showHostPin && { pin: null }),
  };
}
