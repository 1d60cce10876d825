/** POST /room/create: hands out a room from the pool. */
import { httpFunction } from "../lib/http/contract.ts";
import { roomCreation } from "../lib/rooms/create.ts";

export const createRoomFromQueue = httpFunction({
  ...roomCreation,
  route: "room/create",
  summary: "Create a room",
});
