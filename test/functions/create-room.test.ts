/** POST /room/create/old, the legacy path: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { type InProcessGateway, startInProcessGateway } from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { testRoomCreation } from "../support/room-creation.ts";
import { testRoomCreationFailures } from "../support/room-creation-failures.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

testRoomCreation(() => gateway, createRoom);
testRoomCreationFailures(() => gateway, createRoom);
testBearerRefusals(() => gateway, createRoom, {});
testPlatformFaults({
  gateway: () => gateway,
  definition: createRoom,
  sent: {},
  headers: () => gateway.asApplication(),
  prepare: async () => {
    await gateway.poolRoom("a-room");
  },
});

test("the path is marked deprecated, and is otherwise that of POST /room/create", () => {
  expect(createRoom).toMatchObject({ route: "room/create/old", isDeprecated: true, method: "POST" });
});
