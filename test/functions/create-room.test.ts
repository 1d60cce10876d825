/** POST /room/create/old, the legacy path: it differs from POST /room/create in its route and deprecation only. */
import { expect, test } from "vitest";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { programmingError, testUnexpectedError } from "../support/shared-failures.ts";

const gateway = useInProcessGateway();
const underTest = { gateway, definition: createRoom };

const uuiData = Buffer.from("https://verify.example.com/sessions/8d1f", "utf8").toString("hex");

/** The response of an operation to the only caller of a new room, without the room's id. */
async function createWith(definition: typeof createRoom, query: Record<string, string>) {
  gateway.stack.platform.reset();
  await gateway.poolRoom("a-room");
  const { status, headers, text } = await gateway.call(definition, { query });
  return { status, headers, text: text.replace(/"id":\d+/, "") };
}

test("Has the contract of POST /room/create and is marked deprecated", () => {
  const { route, isDeprecated, summary: _, respond: __, ...contract } = createRoom;
  const { route: ___, summary: ____, respond: _____, ...currentContract } = createRoomFromQueue;
  expect(contract).toEqual(currentContract);
  expect(contract.query).toBe(currentContract.query);
  expect({ route, isDeprecated }).toEqual({ route: "room/create/old", isDeprecated: true });
});

test.each<[string, Record<string, string>]>([
  ["without uuiData", {}],
  ["with uuiData", { uuiData }],
])("Returns 200 with the response of POST /room/create %s", async (_, query) => {
  const [current, legacy] = [
    await createWith(createRoomFromQueue, query),
    await createWith(createRoom, query),
  ];
  expect(current.status).toBe(200);
  expect(legacy).toEqual(current);
  expect(await gateway.queues.provisioning.count()).toBe(2);
});

test("Returns 404 pool-exhausted without a body if the pool is empty", async () => {
  expect(await gateway.call(createRoom)).toMatchObject({ status: 404, code: "pool-exhausted", text: "" });
});

test("Returns 422 for uuiData that is not hexadecimal and leaves the pool unchanged", async () => {
  await gateway.poolRoom("a-room");
  expect(await gateway.call(createRoom, { query: { uuiData: "zz" } })).toMatchObject({
    status: 422,
    json: { detail: [{ type: "value_error", loc: ["query", "uuiData"] }] },
  });
  expect(await gateway.receiveTexts("pool")).toEqual(["a-room"]);
});

testUnexpectedError(underTest, () => ({ claims: { claim: programmingError } }));
testBearerRefusals(underTest);
