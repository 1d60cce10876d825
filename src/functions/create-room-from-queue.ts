/** POST /room/create: hands out one room from the pool. */
import { httpFunction } from "../lib/http-function.ts";
import { roomCreation } from "../lib/room-creation.ts";

export const createRoomFromQueue = httpFunction({
  ...roomCreation,
  route: "room/create",
  summary: "Hand out a room from the pool",
});
