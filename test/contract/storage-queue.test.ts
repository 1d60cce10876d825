/** Azure Storage Queues in Azurite fulfil the queue contract in both encodings, and their messages do not expire. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { QueueServiceClient } from "@azure/storage-queue";
import { expect, test } from "vitest";
import { createCredential } from "../../src/lib/azure/credential.ts";
import { openStorageAccount } from "../../src/lib/azure/storage-queue.ts";
import { type Azurite, startAzurite } from "../../tools/local/simulators/azurite.ts";
import { pauseTolerantSeconds } from "../support/timeouts.ts";
import { useStarted } from "../support/use-started.ts";
import { describeQueue } from "./queue.contract.ts";

const open = ({ connectionString }: Azurite) => {
  const storage = { connectionString };
  const credential = createCredential(storage);
  return openStorageAccount({ storage, credential, timeoutSeconds: pauseTolerantSeconds });
};

for (const encoding of ["text", "base64"] as const) {
  describeQueue(`storage queue, ${encoding}`, async () => {
    const azurite = await startAzurite();
    const openQueue = open(azurite);
    return {
      open: () => ({
        queue: openQueue(`queue-${randomUUID()}`, encoding),
        // The queue uses the system clock, so the test has to wait.
        pass: async (seconds) => wait(seconds * 1000),
      }),
      stop: async () => azurite.stop(),
    };
  });
}

const azurite = useStarted(startAzurite);

test("Messages never expire, so an unused pool stays full", async () => {
  await open(azurite)("expiry", "text").put("room-a");
  const raw = QueueServiceClient.fromConnectionString(azurite.connectionString).getQueueClient("expiry");
  const { peekedMessageItems } = await raw.peekMessages();

  expect(peekedMessageItems[0]?.expiresOn.getUTCFullYear()).toBe(9999);
});
