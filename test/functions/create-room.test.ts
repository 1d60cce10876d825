/** POST /room/create/old, the legacy path: it differs from POST /room/create in its route and deprecation only. */
import { expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";

test("Is POST /room/create under another route, and is marked deprecated", () => {
  const { route, isDeprecated, summary: _, ...others } = createRoom;
  const { route: __, summary: ___, ...othersOfCurrent } = createRoomFromQueue;
  expect(others).toEqual(othersOfCurrent);
  expect({ route, isDeprecated }).toEqual({ route: "room/create/old", isDeprecated: true });
});
