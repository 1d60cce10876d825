/** POST /room/create/old, the legacy path: it differs from POST /room/create, whose tests call it too, in its route and deprecation only. */
import { expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";

test("Has the contract of POST /room/create under another route, and is marked deprecated", () => {
  const own = { route: "", summary: "", isDeprecated: true, handle: () => ({ status: 200 }) };
  expect({ ...createRoom, ...own }).toEqual({ ...createRoomFromQueue, ...own });
  expect(createRoom).toMatchObject({ route: "room/create/old", isDeprecated: true });
});
