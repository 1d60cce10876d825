/** What the two operations that read one room share: their contract, and how they read it. */
import { GatewayError, platformFailures } from "../errors.ts";
import type { Conferences } from "../platform/conferences.ts";
import { ShapeQuery } from "./room-schemas.ts";
import { type ShapeOptions, toReadRoom } from "./room-shapes.ts";

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
