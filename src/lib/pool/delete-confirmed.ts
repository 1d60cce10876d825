/** Deletes a leased message and finds out whether the deletion happened. */
import { type Queue, QueueError, type QueueFailure, type QueueMessage } from "../ports.ts";

/**
 * Deletes a message and retries once if the outcome is unknown. A message that the retry no longer finds counts as
 * deleted if its lease still runs (`isHeld`); after the lease, somebody else may have deleted it. Returns `gone` if the
 * first try does not find the message during its lease: the queue was cleared, and nobody has the message any more.
 * Returns `lost` if somebody else may own it, and `unknown` if the retry's outcome is unknown too. Throws only errors
 * that are not QueueErrors.
 */
export async function deleteConfirmed(
  queue: Queue,
  message: QueueMessage,
  isHeld: () => boolean = () => true,
): Promise<"deleted" | "gone" | "lost" | "unknown"> {
  const first = await deleteOnce(queue, message);
  if (first === "deleted") return "deleted";
  if (first === "message-gone" && isHeld()) return "gone";
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
