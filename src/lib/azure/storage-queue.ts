/** Implements the queue port with Azure Storage Queues. */
import type { TokenCredential } from "@azure/identity";
import {
  type DequeuedMessageItem,
  type QueueClient,
  QueueServiceClient,
  RestError,
} from "@azure/storage-queue";
import {
  type Queue,
  QueueError,
  type QueueFailure,
  type QueueMessage,
  type Queues,
  queueNames,
} from "../ports.ts";
import type { Settings } from "../settings/settings.ts";

/** Which account to open, and how. */
export interface StorageAccountOptions {
  readonly storage: Settings["storage"];
  /** Used if the settings name the account by its URL. */
  readonly credential: TokenCredential;
  /** Timeout of one call, including its retries. */
  readonly timeoutSeconds?: number;
}

// The event sink's caller waits 7 s, and API callers rarely wait longer. The SDK's default is a minute.
export const defaultTimeoutSeconds = 3;
const noRetries = { retryOptions: { maxTries: 1 } };
const withRetries = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

/** Opens every queue of the app. Does not connect: the first call of each queue does. */
export function openQueues(options: StorageAccountOptions): Queues {
  const openQueue = openStorageAccount(options);
  return {
    // The pool has no trigger: the host would drain it. The host reads the provisioning queue only.
    pool: openQueue(queueNames.pool, "text"),
    deletion: openQueue(queueNames.deletion, "text"),
    provisioning: openQueue(queueNames.provisioning, "base64"),
    poison: openQueue(queueNames.poison, "base64"),
  };
}

/** Creates the account's two SDK clients, without and with retries. Returns a function that opens a queue by name. */
export function openStorageAccount({
  storage,
  credential,
  timeoutSeconds = defaultTimeoutSeconds,
}: StorageAccountOptions): (name: string, encoding: Encoding) => Queue {
  const open = (options: typeof noRetries) =>
    "connectionString" in storage
      ? QueueServiceClient.fromConnectionString(storage.connectionString, options)
      : new QueueServiceClient(storage.queueServiceUrl, credential, options);
  const singleTry = open(noRetries);
  const retrying = open(withRetries);
  return (name, encoding) => {
    const clients = { singleTry: singleTry.getQueueClient(name), retrying: retrying.getQueueClient(name) };
    return createStorageQueue(clients, encoding, timeoutSeconds);
  };
}

type Encoding = "text" | "base64";

/** How to reach one queue. */
interface QueueClients {
  /** Never retries: for puts and for every operation that needs a receipt. */
  readonly singleTry: QueueClient;
  /** Retries failed requests: for operations that are safe to carry out twice. */
  readonly retrying: QueueClient;
}

const neverExpires = -1;

/**
 * Creates the port to one queue, whose texts are in Base64 if the Functions host reads it. An operation creates the queue
 * if it is missing, and throws QueueError if it fails. This function is long because the port has seven operations.
 */
function createStorageQueue(
  { singleTry, retrying }: QueueClients,
  encoding: Encoding,
  timeoutSeconds: number,
): Queue {
  const timeout = () => ({ abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) });

  async function call<T>(operation: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send().catch(async (error: unknown) => {
        if (!(error instanceof RestError && error.code === "QueueNotFound")) throw error;
        await retrying.createIfNotExists(timeout());
        return send();
      });
    } catch (error) {
      throw toQueueError(operation, error);
    }
  }

  return {
    put: async (text, { invisibleSeconds = 0 } = {}) => {
      const options = { messageTimeToLive: neverExpires, visibilityTimeout: invisibleSeconds };
      const { messageId, popReceipt, insertedOn } = await call("put", async () =>
        singleTry.sendMessage(encode(text, encoding), { ...options, ...timeout() }),
      );
      const insertedAt = insertedOn.getTime();
      return { id: messageId, text, popReceipt, dequeueCount: 0, insertedAt, ageSeconds: 0 };
    },
    receive: async (count, leaseSeconds) => {
      const options = { numberOfMessages: count, visibilityTimeout: leaseSeconds };
      const { receivedMessageItems, date = new Date() } = await call("receive", async () =>
        retrying.receiveMessages({ ...options, ...timeout() }),
      );
      // Both times are the server's, so a wrong local clock cannot make a message look old.
      return receivedMessageItems.map((item) => toMessage(item, date, encoding));
    },
    delete: async ({ id, popReceipt }) => {
      await call("delete", async () => singleTry.deleteMessage(id, popReceipt, timeout()));
    },
    setInvisible: async ({ id, popReceipt }, seconds, text) => {
      const encoded = text === undefined ? undefined : encode(text, encoding);
      await call("update", async () => singleTry.updateMessage(id, popReceipt, encoded, seconds, timeout()));
    },
    count: async () => {
      const properties = await call("count", async () => retrying.getProperties(timeout()));
      return properties.approximateMessagesCount ?? 0;
    },
    peek: async () => {
      const { peekedMessageItems, date = new Date() } = await call("peek", async () =>
        retrying.peekMessages({ numberOfMessages: 32, ...timeout() }),
      );
      return peekedMessageItems.map(({ messageText, insertedOn }) => ({
        text: decode(messageText, encoding),
        ageSeconds: secondsBetween(insertedOn, date),
      }));
    },
    clear: async () => {
      await call("clear", async () => retrying.clearMessages(timeout()));
    },
  };
}

function toMessage(item: DequeuedMessageItem, receivedOn: Date, encoding: Encoding): QueueMessage {
  return {
    id: item.messageId,
    text: decode(item.messageText, encoding),
    popReceipt: item.popReceipt,
    dequeueCount: item.dequeueCount,
    insertedAt: item.insertedOn.getTime(),
    ageSeconds: secondsBetween(item.insertedOn, receivedOn),
  };
}

function encode(text: string, encoding: Encoding): string {
  return encoding === "base64" ? Buffer.from(text, "utf8").toString("base64") : text;
}

function decode(text: string, encoding: Encoding): string {
  return encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
}

function secondsBetween(start: Date, end: Date): number {
  return (end.getTime() - start.getTime()) / 1000;
}

/** Returns the port's failure. Everything that is not a response of the service has an unknown outcome. */
function toQueueError(operation: string, error: unknown): QueueError {
  if (!(error instanceof RestError))
    return new QueueError("unknown", `queue ${operation}: no response`, error);
  return new QueueError(failureOf(error), `queue ${operation}: ${error.code ?? error.statusCode}`, error);
}

function failureOf({ code, statusCode }: RestError): QueueFailure {
  if (code === "PopReceiptMismatch") return "receipt-stale";
  if (code === "MessageNotFound" || code === "QueueNotFound") return "message-gone";
  return statusCode === 400 || statusCode === 413 ? "refused" : "unknown";
}
