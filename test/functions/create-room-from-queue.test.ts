/** POST /room/create: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
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

testRoomCreation(() => gateway, createRoomFromQueue);
testRoomCreationFailures(() => gateway, createRoomFromQueue);
testBearerRefusals(() => gateway, createRoomFromQueue, {});
testPlatformFaults({
  gateway: () => gateway,
  definition: createRoomFromQueue,
  sent: {},
  headers: () => gateway.asApplication(),
  prepare: async () => {
    await gateway.poolRoom("a-room");
  },
});

test("200 for ten callers at once, no two of whom get the same room", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `room-${index}`);
  for (const name of names) await gateway.poolRoom(name);
  const answers = await Promise.all(
    names.map(async () => gateway.call(createRoomFromQueue, { headers: gateway.asApplication() })),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(answers.map(({ json }) => (json as { name: string }).name).toSorted()).toEqual(names);
});
