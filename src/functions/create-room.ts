/** POST /room/create/old: the legacy path of POST /room/create, with the same behaviour. */
import { type RoomCreationDependencies, roomCreation } from "../lib/api/room-creation.ts";
import { toCreatedRoom } from "../lib/api/room-shapes.ts";
import { decodeServiceTag } from "../lib/api/service-tag.ts";
import { json, queryFunction } from "../lib/http/http-function.ts";

export const createRoom = queryFunction({
  ...roomCreation,
  method: "POST",
  route: "room/create/old",
  access: "application",
  summary: "Create a room (legacy path)",
  isDeprecated: true,
  async handle({ query }, { claims, serviceTagBaseUrl }: RoomCreationDependencies, log) {
    const { uuiData } = query;
    const serviceTag = uuiData === undefined ? undefined : decodeServiceTag(uuiData, serviceTagBaseUrl);
    return json(200, toCreatedRoom(await claims.claim(serviceTag, log)));
  },
});
