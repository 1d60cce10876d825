/** POST /room/create: hands out one room from the pool. */

import { roomCreation } from "../lib/api/room-creation.ts";
import { queryFunction } from "../lib/http/http-function.ts";

export const createRoomFromQueue = queryFunction({
  ...roomCreation,
  route: "room/create",
  summary: "Hand out a room from the pool",
});
