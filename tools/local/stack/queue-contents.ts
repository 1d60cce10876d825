/** Reads the queues of a local gateway: how many messages there are, and their texts. */
import {
  type QueueClient,
  QueueServiceClient,
  RestError,
  type StoragePipelineOptions,
} from "@azure/storage-queue";
import { queueNames } from "../../../src/lib/ports.ts";
import { bypassProxy } from "../../simulators/process/bypass-proxy.ts";

type QueueKey = keyof typeof queueNames;

/** The number of messages that the queue service shows per call. */
export const maxPeeked = 32;

/** Opens the queues. One that does not exist yet is empty: the app creates a queue when it first uses it. */
export function openQueueContents(
  connectionString: string,
  retryOptions: StoragePipelineOptions["retryOptions"] = {},
) {
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString, { retryOptions });
  const open = (queue: QueueKey): QueueClient => service.getQueueClient(queueNames[queue]);

  /** The number of messages, including invisible ones. */
  async function depth(queue: QueueKey): Promise<number> {
    return ifQueueMissing(0, async () => (await open(queue).getProperties()).approximateMessagesCount ?? 0);
  }
  return {
    depth,
    /** Returns the texts of the visible messages, `maxPeeked` at most, and leaves them visible. */
    peek: async (queue: QueueKey) =>
      ifQueueMissing<string[]>([], async () => {
        const { peekedMessageItems } = await open(queue).peekMessages({ numberOfMessages: maxPeeked });
        return peekedMessageItems.map(({ messageText }) => messageText);
      }),
  };
}

/** Returns what `read` returns, or `fallback` if the queue does not exist. */
async function ifQueueMissing<Value>(fallback: Value, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RestError && error.code === "QueueNotFound") return fallback;
    throw error;
  }
}
