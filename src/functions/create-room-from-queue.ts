/** POST /room/create: hands out a room from the pool. */
import { roomCreation } from "../lib/rooms/create.ts";

export const createRoomFromQueue = roomCreation({
  route: "room/create",
  summary: "Create a room",
});
