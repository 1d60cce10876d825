/** The queue port over Azure Storage Queues. */
import { type DequeuedMessageItem, type QueueClient, RestError } from "@azure/storage-queue";
import { type Queue, QueueError, type QueueMessage } from "./queue.ts";

export interface StorageQueueOptions {
  /** A client that never repeats a request: for puts, and for whatever needs a receipt. */
  readonly once: QueueClient;
  /** A client that repeats failed requests: for whatever does no harm twice. */
  readonly patient: QueueClient;
  /** `base64` where the Functions host reads the queue, `text` elsewhere. */
  readonly encoding: "text" | "base64";
  readonly timeoutSeconds: number;
}

const neverExpires = -1;

/** Makes the queue when it is missing. */
export function createStorageQueue({ once, patient, encoding, timeoutSeconds }: StorageQueueOptions): Queue {
  const encode = (text: string) =>
    encoding === "base64" ? Buffer.from(text, "utf8").toString("base64") : text;
  const decode = (text: string) =>
    encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
  const limit = () => ({ abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) });

  async function attempt<T>(operation: string, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RestError) || error.code !== "QueueNotFound")
        throw toQueueError(operation, error);
    }
    try {
      await patient.createIfNotExists(limit());
      return await send();
    } catch (error) {
      throw toQueueError(operation, error);
    }
  }

  const toMessage = (item: DequeuedMessageItem, receivedOn: Date): QueueMessage => ({
    id: item.messageId,
    text: decode(item.messageText),
    popReceipt: item.popReceipt,
    dequeueCount: item.dequeueCount,
    ageSeconds: (receivedOn.getTime() - item.insertedOn.getTime()) / 1000,
  });

  return {
    put: async (text, { invisibleSeconds = 0 } = {}) => {
      const options = { messageTimeToLive: neverExpires, visibilityTimeout: invisibleSeconds };
      const sent = await attempt("put", async () =>
        once.sendMessage(encode(text), { ...options, ...limit() }),
      );
      return { id: sent.messageId, text, popReceipt: sent.popReceipt, dequeueCount: 0, ageSeconds: 0 };
    },
    receive: async (count, leaseSeconds) => {
      const options = { numberOfMessages: count, visibilityTimeout: leaseSeconds };
      const answer = await attempt("receive", async () =>
        patient.receiveMessages({ ...options, ...limit() }),
      );
      // Both times are the server's, so that a wrong clock here makes no message look old.
      const receivedOn = answer.date ?? new Date();
      return answer.receivedMessageItems.map((item) => toMessage(item, receivedOn));
    },
    delete: async ({ id, popReceipt }) => {
      await attempt("delete", async () => once.deleteMessage(id, popReceipt, limit()));
    },
    setInvisible: async ({ id, popReceipt }, seconds) => {
      await attempt("update", async () => once.updateMessage(id, popReceipt, undefined, seconds, limit()));
    },
    count: async () => {
      const properties = await attempt("count", async () => patient.getProperties(limit()));
      return properties.approximateMessagesCount ?? 0;
    },
    oldestAgeSeconds: async () => {
      const answer = await attempt("peek", async () =>
        patient.peekMessages({ numberOfMessages: 32, ...limit() }),
      );
      const now = (answer.date ?? new Date()).getTime();
      const ages = answer.peekedMessageItems.map((item) => (now - item.insertedOn.getTime()) / 1000);
      return ages.length === 0 ? undefined : Math.max(...ages);
    },
    clear: async () => {
      await attempt("clear", async () => patient.clearMessages(limit()));
    },
  };
}

function toQueueError(operation: string, error: unknown): QueueError {
  if (!(error instanceof RestError)) return new QueueError("unknown", `queue ${operation}: no answer`, error);
  return new QueueError(failureOf(error), `queue ${operation}: ${error.code ?? error.statusCode}`, error);
}

function failureOf({ code, statusCode }: RestError): QueueError["failure"] {
  if (code === "PopReceiptMismatch") return "receipt-stale";
  if (code === "MessageNotFound" || code === "QueueNotFound") return "message-gone";
  return statusCode === 400 || statusCode === 413 ? "refused" : "unknown";
}
