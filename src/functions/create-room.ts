/** POST /room/create/old: the legacy path of creating a room; it behaves the same. */
import { httpFunction } from "../lib/http-function.ts";
import { roomCreation } from "../lib/room-creation.ts";

export const createRoom = httpFunction({
  ...roomCreation,
  route: "room/create/old",
  summary: "Hand out a room from the pool (legacy path)",
  isDeprecated: true,
});
