/** POST /room/create/old: the legacy path of POST /room/create, with the same behaviour. */

import { json, queryFunction } from "../lib/http/pipeline.ts";
import {
  allocateRoom,
  type RoomCreationDependencies,
  roomCreation,
  toCreatedRoom,
} from "../lib/rooms/create.ts";

export const createRoom = queryFunction({
  ...roomCreation,
  method: "POST",
  route: "room/create/old",
  access: "application",
  summary: "Create a room (legacy path)",
  isDeprecated: true,
  async handle(request, dependencies: RoomCreationDependencies, log) {
    const room = await allocateRoom(request, dependencies, log);
    return json(200, toCreatedRoom(room));
  },
});
