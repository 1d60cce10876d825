/** POST /room/create: hands out a room from the pool. */

import { json, queryFunction } from "../lib/http/pipeline.ts";
import {
  allocateRoom,
  type RoomCreationDependencies,
  roomCreation,
  toCreatedRoom,
} from "../lib/rooms/create.ts";

export const createRoomFromQueue = queryFunction({
  ...roomCreation,
  method: "POST",
  route: "room/create",
  access: "application",
  summary: "Create a room",
  async handle(request, dependencies: RoomCreationDependencies, log) {
    const room = await allocateRoom(request, dependencies, log);
    return json(200, toCreatedRoom(room));
  },
});
