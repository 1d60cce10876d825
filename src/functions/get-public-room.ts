/** GET /public/room/{room_name}: returns one room to an agent, without its host PIN. */

import { httpFunction } from "../lib/http/contract.ts";
import { publicRoomExamples, shapeFaults } from "../lib/rooms/examples.ts";
import { type RoomReadingDependencies, readRoom, roomReading } from "../lib/rooms/read.ts";
import { PublicRoom } from "../lib/rooms/schemas.ts";

export const getPublicRoom = httpFunction({
  ...roomReading,
  method: "GET",
  route: "public/room/{room_name}",
  access: "agent",
  summary: "Get a room as an agent",
  description:
    "Returns the room with exactly this name, without its host PIN: the constrained shape omits `pin`, " +
    "and the full shape sets it to null.",
  responses: { 200: PublicRoom },
  examples: { response: publicRoomExamples, faults: shapeFaults },
  async handle({ query, roomName }, dependencies: RoomReadingDependencies) {
    const shape = { constrained: query.constrained_attributes, showHostPin: false };
    return { status: 200, body: await readRoom(dependencies, roomName, shape) };
  },
});
