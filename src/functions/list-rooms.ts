/** GET /room/list: returns every conference on the platform. */
import { platformFailures } from "../lib/errors.ts";
import { httpFunction } from "../lib/http/contract.ts";
import type { SharedList } from "../lib/platform/shared-list.ts";
import { RoomList, ShapeQuery } from "../lib/rooms/schemas.ts";
import { toReadRoom } from "../lib/rooms/shapes.ts";

export const listRooms = httpFunction({
  method: "GET",
  route: "room/list",
  access: "application",
  needsAdministrator: true,
  summary: "List rooms",
  description:
    "Returns every conference on the platform. Services that are not rooms, such as test calls, " +
    "have an empty `pin` and `tag` in the constrained shape.",
  query: ShapeQuery,
  responses: { 200: RoomList },
  failures: platformFailures,
  async handle({ query }, { sharedList }: { sharedList: SharedList }) {
    const shape = { constrained: query.constrained_attributes, showHostPin: true };
    const rooms = await sharedList.list();
    return { status: 200, body: rooms.map((row) => toReadRoom(row, shape)) };
  },
});
