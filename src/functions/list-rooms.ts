/** GET /room/list: every conference on the platform. */

import { RoomList, ShapeQuery } from "../lib/api/room-schemas.ts";
import { toReadRoom } from "../lib/api/room-shapes.ts";
import { json, queryFunction } from "../lib/http/http-function.ts";
import type { Conferences } from "../lib/platform/conferences.ts";

export const listRooms = queryFunction({
  method: "GET",
  route: "room/list",
  access: "application",
  summary: "List all rooms and other services",
  description:
    "Every conference on the platform. What is no room, such as a test call, has an empty pin and tag.",
  query: ShapeQuery,
  answers: { 200: RoomList },
  failures: ["platform-rejected", "platform-unavailable", "platform-timeout"],
  async handle({ query }, { backgroundConferences }: { backgroundConferences: Pick<Conferences, "list"> }) {
    const shape = { constrained: query.constrained_attributes, showHostPin: true };
    return json(
      200,
      (await backgroundConferences.list()).map((row) => toReadRoom(row, shape)),
    );
  },
});
