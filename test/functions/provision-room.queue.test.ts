/** The provisioning trigger: its queue, the room it makes, and that failures reach the host. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { type InProcessGateway, startInProcessGateway, storageDown } from "../support/in-process-gateway.ts";
import { registeredQueue } from "../support/registered-trigger.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const provision = async (message: unknown, overrides: Record<string, string> = {}, dequeueCount = 1) =>
  registeredQueue(provisionRoom, gateway.connect(overrides)).handler(
    message,
    gateway.createContext("provisionRoom", { dequeueCount }),
  );

test("it listens to room-provisioning-queue on the host's own storage account", () => {
  const { queueName, connection } = registeredQueue(provisionRoom, gateway.dependencies());
  expect({ queueName, connection }).toEqual({
    queueName: "room-provisioning-queue",
    connection: "AzureWebJobsStorage",
  });
});

test("success: one room on the platform whose alias is its name, and its name in the pool", async () => {
  await provision({ reason: "claimed" });
  const [room] = gateway.stack.platform.rooms() as Record<string, unknown>[];
  const [message] = await gateway.queues.pool.receive(1, 1);
  expect(message?.text).toBe(room?.["name"]);
  expect(room).toMatchObject({
    service_type: "conference",
    allow_guests: true,
    pin: identities.hostPin,
    guest_pin: expect.stringMatching(/^\d{6}$/),
    aliases: [expect.objectContaining({ alias: room?.["name"] })],
    description: expect.stringMatching(/^vmr-gateway pooled /),
  });
  expect(room?.["guest_pin"]).not.toBe(identities.hostPin);
});

test("success: the room has the fields of the template", async () => {
  await provision({ reason: "claimed" }, { ROOM_TEMPLATE: '{"participant_limit":3,"enable_chat":"no"}' });
  expect(gateway.stack.platform.rooms()[0]).toMatchObject({ participant_limit: 3, enable_chat: "no" });
});

test("success: the room can be claimed only after the ripening delay", async () => {
  await provision({ reason: "claimed" }, { POOL_READY_DELAY_SECONDS: "90" });
  expect(await gateway.queues.pool.count()).toBe(1);
  expect(await gateway.queues.pool.receive(1, 1)).toEqual([]);
});

test.each<[string, unknown, number]>([
  ["a bulk request for a full pool", { reason: "bulk", upTo: 1 }, 1],
  ["a healing request for a full pool", { reason: "healing", upTo: 1 }, 1],
])("success: %s is dropped", async (_, request, dequeueCount) => {
  await gateway.poolRoom("a-room");
  await provision(request, {}, dequeueCount);
  expect(gateway.stack.platform.roomCount()).toBe(1);
});

test("success: a repeated replacement is dropped when the pool holds the maximum", async () => {
  await gateway.poolRoom("a-room");
  await provision({ reason: "claimed" }, { MAX_VMR: "1" }, 2);
  expect(gateway.stack.platform.roomCount()).toBe(1);
  await provision({ reason: "claimed" }, { MAX_VMR: "1" }, 1);
  expect(gateway.stack.platform.roomCount()).toBe(2);
});

test.each([["not JSON"], [null], [7], [[]], [{}], [{ reason: "other" }], [{ reason: "bulk", upTo: -1 }]])(
  "success: the malformed request %j is logged and completed",
  async (request) => {
    await provision(request);
    expect(gateway.log.join("\n")).toContain("provisioning-request-malformed");
    expect(gateway.stack.platform.roomCount()).toBe(0);
  },
);

test("failure: the platform refuses the room, and the pool does not keep its name", async () => {
  gateway.stack.platform.setBehaviour({ roomLimit: 0 });
  await expect(provision({ reason: "claimed" })).rejects.toThrow("status 400");
  expect(await gateway.queues.pool.count()).toBe(0);
  expect(gateway.log.join("\n")).toContain("run-failed");
});

test("failure: the platform is down, and the pool does not keep the name", async () => {
  await gateway.stack.platform.goDown("refuse");
  await expect(provision({ reason: "claimed" })).rejects.toThrow("ECONNREFUSED");
  expect(await gateway.queues.pool.count()).toBe(0);
});

test("failure: the queues cannot be reached, and no room is made", async () => {
  await expect(provision({ reason: "claimed" }, storageDown(gateway.stack.settings))).rejects.toThrow(
    "queue put",
  );
  expect(gateway.stack.platform.roomCount()).toBe(0);
});
