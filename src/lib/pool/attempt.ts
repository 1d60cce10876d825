/** One message tried for one caller, and the ways to let go of it. */
import type { Log } from "../log.ts";
import { type DiscardPorts, type DiscardReason, discardRoom } from "./discard.ts";
import type { QueueMessage } from "./queue.ts";

export interface Attempt {
  readonly message: QueueMessage;
  readonly serviceTag: string | undefined;
  /** Nothing is sent to the platform any more at this time (clock milliseconds). */
  readonly startBefore: number;
  /** Whether the lease of the message still runs. */
  readonly isHeld: () => boolean;
  readonly log: Log;
}

export interface LettingGo {
  /** The room must not be used any more. */
  discard(attempt: Attempt, reason: DiscardReason): Promise<void>;
  /** A room that is refused waits out its lease, and is given up when that has happened again and again. */
  discardAfterManyTries(attempt: Attempt): Promise<void>;
  /** Gives the message back at once; should that fail, its lease runs out. */
  release(attempt: Attempt): Promise<void>;
}

const mostReceives = 5;

/** No method throws for a failing queue. */
export function createLettingGo(ports: DiscardPorts): LettingGo {
  async function discard({ message, isHeld, log }: Attempt, reason: DiscardReason): Promise<void> {
    await discardRoom(ports, message, { reason, exists: reason !== "stale", isHeld }, log);
  }
  return {
    discard,
    async discardAfterManyTries(attempt) {
      if (attempt.message.dequeueCount > mostReceives) await discard(attempt, "refused-often");
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
