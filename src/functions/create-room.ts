/** POST /room/create/old: the legacy path of creating a room; it behaves the same. */

import { roomCreation } from "../lib/api/room-creation.ts";
import { queryFunction } from "../lib/http/http-function.ts";

export const createRoom = queryFunction({
  ...roomCreation,
  route: "room/create/old",
  summary: "Hand out a room from the pool (legacy path)",
  isDeprecated: true,
});
