/** POST /room/create/old: the legacy path of POST /room/create, with the same behaviour. */
import { httpFunction } from "../lib/http/contract.ts";
import { roomCreation } from "../lib/rooms/create.ts";

export const createRoom = httpFunction({
  ...roomCreation,
  route: "room/create/old",
  summary: "Create a room (legacy path)",
  isDeprecated: true,
});
