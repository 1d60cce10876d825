/** Gives up a pooled room: no claim can receive it any more, and the collector deletes it. */
import type { Log } from "../log.ts";
import { type GatewayDeletion, queueForDeletionOrLogLeak } from "../ownership/deletion-queue.ts";
import type { Clock } from "../ports.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../queue.ts";

/** What became of a message that was to be deleted. */
type DeletionOutcome = Awaited<ReturnType<typeof deleteConfirmed>>;

/** A message that nobody else can receive until a time, in clock milliseconds. */
export interface Held {
  readonly message: QueueMessage;
  readonly heldUntil: number;
}

interface RoomToGiveUp extends GatewayDeletion {
  /** The room's pool message, or what became of it if it is deleted already. */
  readonly message: Held | DeletionOutcome;
  /** Whether the platform may have a room of this name. Defaults to true. */
  readonly mayExist?: boolean;
  /** Whether the marker has the ID of the message, so that no other claim hands out the room. Defaults to false. */
  readonly isAssigned?: boolean;
}

type GiveUp = (room: RoomToGiveUp, log: Log) => Promise<DeletionOutcome>;

/** Creates the function that gives up a room. It returns what became of the message, and throws no QueueError. */
export function createGiveUp(queues: {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly clock: Pick<Clock, "now">;
}): GiveUp {
  const { pool, deletion, clock } = queues;
  return async ({ message: held, mayExist = true, isAssigned = false, ...room }, log) => {
    const outcome =
      typeof held === "string"
        ? held
        : await deleteConfirmed(pool, held.message, () => clock.now() < held.heldUntil);
    // Otherwise a claim may receive the message, and hand out the room.
    const isNobodys = outcome === "deleted" || outcome === "gone" || (outcome === "unknown" && isAssigned);
    if (isNobodys && mayExist) await queueForDeletionOrLogLeak(deletion, room, log);
    return outcome;
  };
}
