/** GET /room/{room_name}: returns one room with its host PIN. */

import { httpFunction } from "../lib/http/contract.ts";
import { roomExamples, shapeFaults } from "../lib/rooms/examples.ts";
import { type RoomReadingDependencies, readRoom, roomReading, roomRoute } from "../lib/rooms/read.ts";
import { Room } from "../lib/rooms/schemas.ts";

export const getRoom = httpFunction({
  ...roomReading,
  method: "GET",
  route: roomRoute,
  access: "application",
  summary: "Get a room",
  description: "Returns the room with exactly this name, including its host PIN.",
  responses: { 200: Room },
  examples: { response: roomExamples, faults: shapeFaults },
  async handle({ query, roomName }, dependencies: RoomReadingDependencies) {
    const shape = { constrained: query.constrained_attributes, showHostPin: true };
    return { status: 200, body: await readRoom(dependencies, roomName, shape) };
  },
});
