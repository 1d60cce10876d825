/** Takes a room that must not be used any more out of the pool, in the only safe order. */
import type { Log } from "../log.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../queues/queue.ts";
import type { Replenishment } from "./replenishment.ts";

export interface DiscardPorts {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly replenishment: Replenishment;
}

export type DiscardReason = "stale" | "told-nobody" | "assignment-unknown" | "refused-often";

export interface Discard {
  readonly reason: DiscardReason;
  /** Whether the room is on the platform. */
  readonly exists: boolean;
  /** Whether the lease of the message still runs. */
  readonly isHeld?: () => boolean;
}

/**
 * Deletes the message (from here on nobody can be given this room), then queues the room for deletion if it exists,
 * then asks for another. A message that cannot be deleted waits out its lease, and nothing else is done. Never throws
 * for a failing queue: what could not be done is logged, and the room shows up as unaccounted.
 */
export async function discardRoom(
  { pool, deletion, replenishment }: DiscardPorts,
  message: QueueMessage,
  { reason, exists, isHeld }: Discard,
  log: Log,
): Promise<void> {
  const room = message.text;
  const outcome = await deleteConfirmed(pool, message, isHeld);
  if (outcome !== "deleted") {
    log.warn("room-discard-failed", { room, reason, message: outcome });
    return;
  }
  log.warn("room-discarded", { room, reason });
  if (exists) await queueForDeletion(deletion, room, log);
  await replenishment.heal(log);
}

/** Puts a name on the deletion queue; a failure is logged. */
export async function queueForDeletion(deletion: Queue, room: string, log: Log): Promise<void> {
  try {
    await deletion.put(room);
  } catch (error) {
    log.error("room-leaked", { room }, error);
  }
}
