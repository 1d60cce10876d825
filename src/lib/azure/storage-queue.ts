/** Implements the queue port with Azure Storage Queues. */
import type { TokenCredential } from "@azure/identity";
import { type QueueClient, QueueServiceClient, RestError } from "@azure/storage-queue";
import { createAgent } from "../http-client.ts";
import { type Queue, QueueError, type QueueFailure, type Queues, queueNames } from "../queue.ts";
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

type Encoding = "text" | "base64";

const neverExpires = -1;

/**
 * Creates the account's two SDK clients. Returns a function that opens a queue by name, whose texts are in Base64 if
 * the Functions host reads it. An operation creates the queue if it is missing, and throws QueueError if it fails.
 */
export function openStorageAccount({
  storage,
  credential,
  timeoutSeconds = defaultTimeoutSeconds,
}: StorageAccountOptions): (name: string, encoding: Encoding) => Queue {
  const open = (options: object) =>
    "connectionString" in storage
      ? QueueServiceClient.fromConnectionString(storage.connectionString, options)
      : new QueueServiceClient(storage.queueServiceUrl, credential, options);
  // The SDK keeps idle connections until they fail. It uses this option (core-rest-pipeline, createPipelineFromOptions)
  // instead of a proxy, but does not declare it.
  const agent = createAgent(open({}).url);
  // For puts and for every operation that needs a receipt.
  const singleTry = open({ ...noRetries, agent });
  // For operations that are safe to carry out twice.
  const retrying = open({ ...withRetries, agent });
  const timeout = () => ({ abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) });
  return (name, encoding) =>
    createStorageQueue(singleTry.getQueueClient(name), retrying.getQueueClient(name), { encoding, timeout });
}

interface StorageResponse {
  readonly requestId?: string;
  readonly _response: { readonly status: number };
}

/**
 * Sends a call and returns its result, or throws its error, if storage itself has responded: all its responses have the
 * header `x-ms-request-id` (learn.microsoft.com/rest/api/storageservices/troubleshooting-api-operations). Throws a
 * RestError without a status for the response of a firewall or a proxy.
 */
export async function fromStorage<Result extends StorageResponse>(send: () => Promise<Result>) {
  const foreign = (status: unknown) =>
    new RestError(`a response that is not storage's: ${String(status)}`, { code: "NOT_FROM_STORAGE" });
  const result = await send().catch((error: unknown) => {
    const response = error instanceof RestError ? error.response : undefined;
    throw response && !response.headers.has("x-ms-request-id") ? foreign(response.status) : error;
  });
  if (result.requestId === undefined) throw foreign(result._response.status);
  return result;
}

/** Creates the port to one queue. This function is long because the port has seven operations. */
function createStorageQueue(
  singleTry: QueueClient,
  retrying: QueueClient,
  {
    encoding,
    timeout,
  }: { readonly encoding: Encoding; readonly timeout: () => { abortSignal: AbortSignal } },
): Queue {
  const isBase64 = encoding === "base64";
  const encode = (text: string) => (isBase64 ? Buffer.from(text, "utf8").toString("base64") : text);
  const decode = (text: string) => (isBase64 ? Buffer.from(text, "base64").toString("utf8") : text);

  async function call<Result extends StorageResponse>(operation: string, send: () => Promise<Result>) {
    try {
      return await fromStorage(send).catch(async (error: unknown) => {
        if (!(error instanceof RestError && error.code === "QueueNotFound")) throw error;
        await retrying.createIfNotExists(timeout());
        return fromStorage(send);
      });
    } catch (error) {
      throw toQueueError(operation, error);
    }
  }

  return {
    put: async (text, { invisibleSeconds = 0 } = {}) => {
      const options = { messageTimeToLive: neverExpires, visibilityTimeout: invisibleSeconds };
      const { messageId, popReceipt, insertedOn } = await call("put", async () =>
        singleTry.sendMessage(encode(text), { ...options, ...timeout() }),
      );
      const insertedAt = insertedOn.getTime();
      return { id: messageId, text, popReceipt, dequeueCount: 0, insertedAt, ageSeconds: 0 };
    },
    receive: async (count, leaseSeconds) => {
      const options = { numberOfMessages: count, visibilityTimeout: leaseSeconds };
      const { receivedMessageItems, date = new Date() } = await call("receive", async () =>
        singleTry.receiveMessages({ ...options, ...timeout() }),
      );
      return receivedMessageItems.map(({ messageId, messageText, popReceipt, dequeueCount, insertedOn }) => ({
        id: messageId,
        text: decode(messageText),
        popReceipt,
        dequeueCount,
        insertedAt: insertedOn.getTime(),
        ageSeconds: secondsBetween(insertedOn, date),
      }));
    },
    delete: async ({ id, popReceipt }) => {
      await call("delete", async () => singleTry.deleteMessage(id, popReceipt, timeout()));
    },
    setInvisible: async ({ id, popReceipt }, seconds, text) => {
      const encoded = text === undefined ? undefined : encode(text);
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
        text: decode(messageText),
        ageSeconds: secondsBetween(insertedOn, date),
      }));
    },
    clear: async () => {
      await call("clear", async () => retrying.clearMessages(timeout()));
    },
  };
}

/** Both times are the server's, so a wrong local clock cannot make a message look old. */
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
