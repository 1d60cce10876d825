/** The provisioning trigger: its queue and the room it provisions. */
import { expect, test } from "vitest";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";
import { registeredQueue } from "../support/registered-trigger.ts";

const gateway = useInProcessGateway();

const queue = () => registeredQueue(provisionRoom, gateway.dependencies());
const provision = async (message: unknown) =>
  queue().handler(message, gateway.createContext("provisionRoom", { dequeueCount: 1 }));

test("Listens to room-provisioning-queue on the host's storage account", () => {
  expect(queue()).toMatchObject({ queueName: "room-provisioning-queue", connection: "AzureWebJobsStorage" });
});

test("Provisions one room whose alias is its name, and puts its name into the pool", async () => {
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
    description: expect.stringMatching(/^vmr-gateway vmr-gateway pooled /),
  });
  expect(room?.["guest_pin"]).not.toBe(identities.hostPin);
});
