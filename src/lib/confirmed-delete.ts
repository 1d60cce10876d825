/** Deletes a queue message whose deletion must be known. */
import { type Queue, QueueError, type QueueMessage } from "./ports.ts";

/**
 * Deletes a message, and retries once if the outcome is unknown. `gone`: it was not there while its lease ran (`isHeld`),
 * so the queue was cleared, and nobody has the message any more. `lost`: somebody else may own it. `unknown`: neither try
 * had a known outcome. Throws only errors that are not QueueErrors.
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
