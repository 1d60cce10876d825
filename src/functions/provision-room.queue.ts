/** Queue trigger on room-provisioning-queue: makes one room for the pool. */
import type { Provisioning } from "../lib/pool/provisioning.ts";
import { queueNames } from "../lib/pool/queue-names.ts";
import { queueFunction } from "../lib/triggers.ts";

export const provisionRoom = queueFunction({
  queueName: queueNames.provisioning,
  async handle(request, dequeueCount, { provisioning }: { provisioning: Provisioning }, log) {
    await provisioning.provision(request, dequeueCount, log);
  },
});
