/** Queue trigger on room-provisioning-queue: provisions one room for the pool. */
import type { Provisioning } from "../lib/pool/provisioning.ts";
import { queueNames } from "../lib/queue.ts";
import type { QueueFunction } from "../lib/triggers.ts";

export const provisionRoom: QueueFunction<{ provisioning: Provisioning }> = {
  queueName: queueNames.provisioning,
  handle: async (request, dequeueCount, { provisioning }, log) =>
    provisioning.provision(request, dequeueCount, log),
};
