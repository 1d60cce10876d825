/** What happens to a claim's message, outcome by outcome, when the claim does not hand out its room. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { deleteConfirmed } from "../queues/delete-confirmed.ts";
import type { Queue, QueueMessage } from "../queues/queue.ts";
import type { Replenishment } from "./replenishment.ts";

/** One message that a claim holds, and the limits of that claim. */
export interface ClaimAttempt {
  readonly message: QueueMessage;
  /** When the lease of the message ends, in clock milliseconds. */
  readonly heldUntil: number;
  /** No call to the platform starts after this time, in clock milliseconds. */
  readonly startBefore: number;
  readonly serviceTag: string | undefined;
  readonly log: Log;
}

/**
 * - `discard-room`: delete the message, queue the room for deletion, request another room; always in this order.
 * - `discard-name`: the same without queueing, because there is no room of this name.
 * - `delete-message`: delete the message only; the room belongs to a caller.
 * - `release`: make the message visible again at once.
 * - `leave-to-lease`: do nothing; the message becomes visible when its lease ends.
 * - `discard-room-if-refused-often`: leave the message to its lease, but discard the room after five receives.
 */
type Disposal =
  | "discard-room"
  | "discard-name"
  | "delete-message"
  | "release"
  | "leave-to-lease"
  | "discard-room-if-refused-often";

/** Every outcome of an attempt that hands out no room, and what happens to its message. */
export const disposals = {
  "room-missing": "discard-name",
  "unanswered-claim": "discard-room",
  "duplicate-message": "delete-message",
  "find-failed": "release",
  "find-refused": "discard-room-if-refused-often",
  "assignment-not-sent": "release",
  "assignment-throttled": "release",
  "assignment-unauthorized": "leave-to-lease",
  "assignment-refused": "discard-room-if-refused-often",
  // A change that arrives late must find a room that nobody holds.
  "assignment-unknown": "discard-room",
} as const satisfies Record<string, Disposal>;

export type FailedOutcome = keyof typeof disposals;

export interface DisposalDependencies {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly replenishment: Pick<Replenishment, "heal">;
  readonly clock: Clock;
}

/** Disposes of the message. Does not throw QueueError: a failure is logged and the message is left to its lease. */
export type Dispose = (attempt: ClaimAttempt, outcome: FailedOutcome) => Promise<void>;

const maxReceives = 5;

export function createDispose({ pool, deletion, replenishment, clock }: DisposalDependencies): Dispose {
  const deleteMessage = async ({ message, heldUntil }: ClaimAttempt) =>
    deleteConfirmed(pool, message, () => clock.now() < heldUntil);

  /** Deletes the message first, because no claim can receive the room from then on. Otherwise does nothing. */
  async function discard(attempt: ClaimAttempt, reason: string, isOnPlatform: boolean): Promise<void> {
    const { log } = attempt;
    const room = attempt.message.text;
    const outcome = await deleteMessage(attempt);
    if (outcome !== "deleted") {
      log.warn("room-discard-failed", { room, reason, message: outcome });
      return;
    }
    log.warn("room-discarded", { room, reason });
    if (isOnPlatform) await queueForDeletionOrLogLeak(deletion, room, log);
    await replenishment.heal(log);
  }

  async function release({ message, log }: ClaimAttempt): Promise<void> {
    try {
      await pool.setInvisible(message, 0);
    } catch (error) {
      log.warn("release-failed", { room: message.text }, error);
    }
  }

  return async (attempt, outcome) => {
    const { message, log } = attempt;
    switch (disposals[outcome]) {
      case "discard-room":
        return discard(attempt, outcome, true);
      case "discard-name":
        return discard(attempt, outcome, false);
      case "delete-message":
        log.error("duplicate-message", { room: message.text, outcome: await deleteMessage(attempt) });
        return;
      case "release":
        return release(attempt);
      case "leave-to-lease":
        return;
      case "discard-room-if-refused-often":
        if (message.dequeueCount > maxReceives) await discard(attempt, "refused-often", true);
    }
  };
}

/** Puts a name on the deletion queue; logs `room-leaked` if that fails, because the metrics run counts the room. */
export async function queueForDeletionOrLogLeak(deletion: Queue, room: string, log: Log): Promise<void> {
  try {
    await deletion.put(room);
  } catch (error) {
    log.error("room-leaked", { room }, error);
  }
}

/** The outcome of a look-up that threw `error`. */
export function outcomeOfFailedFind(error: unknown): FailedOutcome {
  return isRefusalOfThisRoom(error) ? "find-refused" : "find-failed";
}

/** The outcome of a change that threw `error`; throws `error` itself if it is not a PlatformError. */
export function outcomeOfFailedAssignment(error: unknown): FailedOutcome {
  if (!(error instanceof PlatformError)) throw error;
  if (error.outcome === "not-sent") return "assignment-not-sent";
  if (error.platformStatus === 429) return "assignment-throttled";
  if (error.outcome === "unknown") return "assignment-unknown";
  return isRefusalOfThisRoom(error) ? "assignment-refused" : "assignment-unauthorized";
}

// A platform that is busy or rejects our login refuses every room alike, so this room is not at fault.
const statusesOfEveryRoom = [401, 403, 429];

function isRefusalOfThisRoom(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.outcome !== "refused") return false;
  return error.platformStatus === undefined || !statusesOfEveryRoom.includes(error.platformStatus);
}
