/** POST /room/create/old, the legacy path: it differs from POST /room/create in its route and deprecation only. */
import { expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { failure } from "../support/failure-responses.ts";
import { testBearerAccess } from "../support/function-cases.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();
const underTest = { gateway, definition: createRoom };

const uuiData = Buffer.from("https://verify.example.com/sessions/8d1f", "utf8").toString("hex");

/** The response of an operation to the only caller of a pooled room, without the room's id. */
async function createWith(definition: typeof createRoom, query: Record<string, string>) {
  gateway.stack.platform.reset();
  await gateway.poolRoom("a-room");
  const { status, headers, text } = await gateway.call(definition, { query });
  return { status, headers, text: text.replace(/"id":\d+/, "") };
}

test("Has the contract of POST /room/create and is marked deprecated", () => {
  const { route, isDeprecated, summary: _, invoke: __, ...contract } = createRoom;
  const { route: ___, summary: ____, invoke: _____, ...currentContract } = createRoomFromQueue;
  expect(contract).toEqual(currentContract);
  expect(contract.query).toBe(currentContract.query);
  expect({ route, isDeprecated }).toEqual({ route: "room/create/old", isDeprecated: true });
});

test.each<[number, string, Record<string, string>, number]>([
  [200, "without uuiData", {}, 2],
  [200, "with uuiData", { uuiData }, 2],
  [422, "with uuiData that is not hexadecimal", { uuiData: "zz" }, 0],
])("Returns %i with the response of POST /room/create %s", async (status, _, query, replacements) => {
  const current = await createWith(createRoomFromQueue, query);
  expect(current.status).toBe(status);
  expect(await createWith(createRoom, query)).toEqual(current);
  expect(await gateway.queues.provisioning.count()).toBe(replacements);
});

test("Returns 404 pool-exhausted without a body if the pool is empty", async () => {
  expect(await gateway.call(createRoom)).toMatchObject(failure("pool-exhausted"));
});

testBearerAccess(underTest);
