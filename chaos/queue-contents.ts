/** Looks into the gateway's queues past the proxy. */

import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { ifQueueMissing } from "../local/gateway/queue-contents.ts";
import { bypassProxy } from "../local/process/bypass-proxy.ts";
import { queueNames } from "../src/lib/queues/queue-names.ts";

type QueueKey = keyof typeof queueNames;

export interface QueueContents {
  /** How many messages there are, invisible ones included. */
  count(queue: QueueKey): Promise<number>;
  /** Receives and so hides every visible message; gives the texts as they are stored. */
  takeAll(queue: QueueKey): Promise<string[]>;
}

const maxPerReceive = 32;
const leaseSeconds = 3600;

export function openQueueContents(connectionString: string): QueueContents {
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const open = (queue: QueueKey): QueueClient => service.getQueueClient(queueNames[queue]);

  return {
    count: async (queue) =>
      ifQueueMissing(0, async () => (await open(queue).getProperties()).approximateMessagesCount ?? 0),
    takeAll: async (queue) =>
      ifQueueMissing<string[]>([], async () => {
        const texts: string[] = [];
        for (;;) {
          const options = { numberOfMessages: maxPerReceive, visibilityTimeout: leaseSeconds };
          const { receivedMessageItems } = await open(queue).receiveMessages(options);
          if (receivedMessageItems.length === 0) return texts;
          texts.push(...receivedMessageItems.map(({ messageText }) => messageText));
        }
      }),
  };
}
