/** The queue port: what the pool needs of a queue, in its own words and failures. */
import { GatewayError } from "../errors.ts";

export interface QueueMessage {
  readonly id: string;
  readonly text: string;
  /** Proves the lease; each receive and each update gives a new one. */
  readonly popReceipt: string;
  /** How often the message was received, this time included; 0 for one just put. */
  readonly dequeueCount: number;
  /** Age by the queue's own clock. */
  readonly ageSeconds: number;
}

/** Messages never expire. Every method throws QueueError and has a time limit of its own. */
export interface Queue {
  /** Puts a message once, never repeated: a repetition could make two of it. */
  put(text: string, options?: { invisibleSeconds?: number }): Promise<QueueMessage>;
  /** Up to `count` visible messages (1 to 32), invisible to others for `leaseSeconds`. */
  receive(count: number, leaseSeconds: number): Promise<QueueMessage[]>;
  /** Deletes a message by its receipt, once. */
  delete(message: QueueMessage): Promise<void>;
  /** Makes a message visible after so many seconds, by its receipt, once. */
  setInvisible(message: QueueMessage, seconds: number): Promise<void>;
  /** How many messages there are, invisible ones included; an approximation. */
  count(): Promise<number>;
  /** Age of the oldest of the first visible messages; undefined when none is visible. */
  oldestAgeSeconds(): Promise<number | undefined>;
  /** Deletes all messages, leased ones included. */
  clear(): Promise<void>;
}

/**
 * `refused`: the queue will never take this text. `receipt-stale`: the lease was lost. `message-gone`: there is no
 * such message. `unknown`: no answer, or a server fault; the operation may have been done all the same.
 */
export type QueueFailure = "refused" | "receipt-stale" | "message-gone" | "unknown";

export class QueueError extends GatewayError {
  override readonly name = "QueueError";
  readonly failure: QueueFailure;

  constructor(failure: QueueFailure, message: string, cause?: unknown) {
    super("storage-unavailable", { cause, retryAfterSeconds: 5 });
    this.message = message;
    this.failure = failure;
  }
}

/**
 * Deletes a leased message and finds out whether that happened: when the first answer is lost, it asks again, and
 * then a message that is gone counts as deleted, if the lease still runs (`isHeld`): later, somebody else may have
 * deleted it. `lost`: somebody else owns it. `unknown`: still no answer.
 */
export async function deleteConfirmed(
  queue: Queue,
  message: QueueMessage,
  isHeld: () => boolean = () => true,
): Promise<"deleted" | "lost" | "unknown"> {
  const first = await deleteOnce(queue, message);
  if (first === "deleted") return "deleted";
  if (first !== "unknown") return "lost";
  const second = await deleteOnce(queue, message);
  if (second === "deleted" || (second === "message-gone" && isHeld())) return "deleted";
  return second === "unknown" ? "unknown" : "lost";
}

async function deleteOnce(queue: Queue, message: QueueMessage): Promise<"deleted" | QueueFailure> {
  try {
    await queue.delete(message);
    return "deleted";
  } catch (error) {
    if (error instanceof QueueError) return error.failure;
    throw error;
  }
}
