/** How many files of src a reader opens to follow one create or one provisioning message. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { calledFiles } from "../support/called-files.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { registeredQueue } from "../support/registered-trigger.ts";

const gateway = useInProcessGateway();
const uuiData = Buffer.from("https://verify.example.com/sessions/8d1f", "utf8").toString("hex");

/** Returns the files of the first call after a start. Everything was loaded by a call before that start. */
async function filesOf(prepare: () => Promise<unknown>, call: () => Promise<unknown>): Promise<string[]> {
  await prepare();
  await call();
  await gateway.reset();
  await prepare();
  return calledFiles(call);
}

test.each([
  ["with an idempotency key", () => ({ "idempotency-key": randomUUID() }), 20],
  ["without an idempotency key", () => ({}), 17],
])("One create %s calls functions of few files", async (_, headers, maxFiles) => {
  const files = await filesOf(
    async () => gateway.poolRoom("a-room"),
    async () => {
      const response = await gateway.call(createRoomFromQueue, { query: { uuiData }, headers: headers() });
      expect(response.status).toBe(200);
    },
  );
  expect(files).toContain("src/lib/rooms/create.ts");
  expect(files.length, `called were\n${files.join("\n")}`).toBeLessThanOrEqual(maxFiles);
});

test("One provisioning message calls functions of few files", async () => {
  const maxFiles = 13;
  const files = await filesOf(
    async () => undefined,
    async () => {
      const { handler } = registeredQueue(provisionRoom, gateway.dependencies());
      await handler({ reason: "claimed" }, gateway.createContext("provisionRoom", { dequeueCount: 1 }));
    },
  );
  expect(gateway.stack.platform.roomCount()).toBe(1);
  expect(files).toContain("src/functions/provision-room.queue.ts");
  expect(files.length, `called were\n${files.join("\n")}`).toBeLessThanOrEqual(maxFiles);
});
