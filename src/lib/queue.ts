/** The queues of the gateway: their interface, their failures, and how a message is deleted for certain. */
import { GatewayError } from "./errors.ts";

/** A message that was put or received. */
export interface QueueMessage {
  readonly id: string;
  readonly text: string;
  /** Proves the lease. Each receive and each update creates a new one. */
  readonly popReceipt: string;
  /** How often the message has been received, including this time; 0 if it was just put. */
  readonly dequeueCount: number;
  /** When it was put, in milliseconds since 1970 according to the queue's clock. */
  readonly insertedAt: number;
  /** Age when it was put or received, according to the queue's clock. */
  readonly ageSeconds: number;
}

/** A queue whose messages never expire. Every method has a timeout. Throws QueueError if the operation fails. */
export interface Queue {
  /** Puts a message. Never retried, because a retry could create a second message. */
  put(text: string, options?: { invisibleSeconds?: number }): Promise<QueueMessage>;
  /** Receives up to `count` visible messages (1 to 32) and makes them invisible for `leaseSeconds`. */
  receive(count: number, leaseSeconds: number): Promise<QueueMessage[]>;
  /** Deletes a message by its receipt. Never retried. */
  delete(message: QueueMessage): Promise<void>;
  /** Makes a message visible after this many seconds, with `text` if one is given, by its receipt. Never retried. */
  setInvisible(message: QueueMessage, seconds: number, text?: string): Promise<void>;
  /** Returns the approximate number of messages, including invisible ones. */
  count(): Promise<number>;
  /** Returns up to the first 32 visible messages, which stay visible. */
  peek(): Promise<Pick<QueueMessage, "text" | "ageSeconds">[]>;
  /** Deletes all messages, including leased ones. */
  clear(): Promise<void>;
}

/**
 * `refused`: the queue never accepts this text. `receipt-stale`: the lease was lost. `message-gone`: the message does
 * not exist. `unknown`: no response or a server error; the operation may have been carried out.
 */
export type QueueFailure = "refused" | "receipt-stale" | "message-gone" | "unknown";

/** A failed queue operation. Callers receive 503 with `Retry-After`. */
export class QueueError extends GatewayError {
  override readonly name = "QueueError";
  readonly failure: QueueFailure;

  constructor(failure: QueueFailure, message: string, cause?: unknown) {
    super("storage-unavailable", { cause, retryAfterSeconds: 5 });
    this.message = message;
    this.failure = failure;
  }
}

/** Queue name by purpose. The Functions host creates the poison queue and names it. */
export const queueNames = {
  pool: "room-creation-queue",
  deletion: "room-deletion-queue",
  provisioning: "room-provisioning-queue",
  poison: "room-provisioning-queue-poison",
} as const;

/** The queues of the app, by purpose. */
export type Queues = Readonly<Record<keyof typeof queueNames, Queue>>;

/**
 * Deletes a message, and retries once if the outcome is unknown. `gone`: it was not there while its lease ran
 * (`isHeld`), so the queue was cleared, and nobody has the message any more. `lost`: somebody else may own it.
 * `unknown`: neither try had a known outcome. Throws only errors that are not QueueErrors.
 */
export async function deleteConfirmed(
  queue: Queue,
  message: QueueMessage,
  isHeld: () => boolean = () => true,
): Promise<"deleted" | "gone" | "lost" | "unknown"> {
  const first = await deleteOnce(queue, message, isHeld);
  if (first !== "unknown") return first;
  const second = await deleteOnce(queue, message, isHeld);
  // The first try deleted it.
  return second === "gone" ? "deleted" : second;
}

async function deleteOnce(queue: Queue, message: QueueMessage, isHeld: () => boolean) {
  try {
    await queue.delete(message);
    return "deleted";
  } catch (error) {
    if (!(error instanceof QueueError)) throw error;
    if (error.failure === "unknown") return "unknown";
    return error.failure === "message-gone" && isHeld() ? "gone" : "lost";
  }
}
