/** One message tried for one caller, and the ways to let go of it. */
import type { Log } from "../log.ts";
import type { QueueMessage } from "../queues/queue.ts";
import { type DiscardPorts, type DiscardReason, discardRoom } from "./discard.ts";

export interface ClaimAttempt {
  readonly message: QueueMessage;
  readonly serviceTag: string | undefined;
  /** Nothing is sent to the platform any more at this time (clock milliseconds). */
  readonly startBefore: number;
  /** Whether the lease of the message still runs. */
  readonly isHeld: () => boolean;
  readonly log: Log;
}

export interface Disposal {
  /** The room must not be used any more. */
  discard(attempt: ClaimAttempt, reason: DiscardReason): Promise<void>;
  /** A room that is refused waits out its lease, and is given up when that has happened again and again. */
  discardIfRejectedTooOften(attempt: ClaimAttempt): Promise<void>;
  /** Gives the message back at once; should that fail, its lease runs out. */
  release(attempt: ClaimAttempt): Promise<void>;
}

const maxReceives = 5;

/** No method throws for a failing queue. */
export function createDisposal(ports: DiscardPorts): Disposal {
  async function discard({ message, isHeld, log }: ClaimAttempt, reason: DiscardReason): Promise<void> {
    await discardRoom(ports, message, { reason, exists: reason !== "stale", isHeld }, log);
  }
  return {
    discard,
    async discardIfRejectedTooOften(attempt) {
      if (attempt.message.dequeueCount > maxReceives) await discard(attempt, "refused-often");
    },
    async release({ message, log }) {
      try {
        await ports.pool.setInvisible(message, 0);
      } catch (error) {
        log.warn("release-failed", { room: message.text }, error);
      }
    },
  };
}
