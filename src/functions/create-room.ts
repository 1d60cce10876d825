/** POST /room/create/old: the legacy path of POST /room/create, with the same behaviour. */
import { roomCreation } from "../lib/rooms/create.ts";

export const createRoom = roomCreation({
  route: "room/create/old",
  summary: "Create a room (legacy path)",
  isDeprecated: true,
});
