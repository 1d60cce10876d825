/** What happens to a claim's message, outcome by outcome, when the claim does not hand out its room. */
import type { Log } from "../log.ts";
import { encodeRoomMessage, type RoomMessage } from "../ownership/room.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Clock } from "../ports.ts";
import { deleteConfirmed, type Queue } from "../queue.ts";
import { createGiveUp, type Held } from "./giving-up.ts";

/** One message that a claim holds. */
export interface HeldMessage extends Held {
  readonly content: RoomMessage;
  /** Requests a room in exchange for a discarded one. A claim requests one at most. */
  readonly requestRoom: () => Promise<void>;
  readonly log: Log;
}

/**
 * - `discard-room`: delete the message, queue the room for deletion, request another room; always in this order.
 * - `discard-name`: the same without queueing, because there is no room of this name.
 * - `delete-message`: delete the message only; the room belongs to a caller.
 * - `release`: make the message visible again at once.
 * - `rest`: make it visible again after 20 seconds.
 * - `count-refusal`: leave the message to a new lease with one more refusal; discard the room at the fifth.
 */
type Settlement = "discard-room" | "discard-name" | "delete-message" | "release" | "rest" | "count-refusal";

/** Every reason why a message yields no room, and what happens to the message. */
export const settlements = {
  "other-gateway": "discard-name",
  "room-missing": "discard-name",
  // The name of a foreign room was put into the pool by mistake: do not change the room.
  "unmarked-room-without-alias": "discard-name",
  "room-without-alias": "discard-room",
  // Assigned with this message's ID: that claim stopped before its commit, so its caller never got a response.
  "unanswered-claim": "discard-room",
  "duplicate-message": "delete-message",
  // A failed look-up says nothing about the room, whatever the platform's response is.
  "find-failed": "release",
  // Found a moment ago. If the room has really disappeared, the next look-up says so.
  "room-vanished": "rest",
  "assignment-not-sent": "release",
  "assignment-refused-for-all": "release",
  "tag-refused": "release",
  "room-refused": "count-refusal",
  // A change that takes effect late must meet a room that nobody holds.
  "assignment-unknown": "discard-room",
} as const satisfies Record<string, Settlement>;

export type FailedOutcome = keyof typeof settlements;

/** Returns the outcome of a change that threw `error`. Throws `error` itself if it is not a PlatformError. */
export function outcomeOfFailedAssignment(error: unknown): FailedOutcome {
  if (!(error instanceof PlatformError)) throw error;
  if (error.outcome === "not-sent") return "assignment-not-sent";
  if (error.outcome === "unknown") return "assignment-unknown";
  // Only a 400 that names fields of the conference is about this room; everything else affects every room alike.
  const fields = rejectedFields(error);
  if (fields.length === 0) return "assignment-refused-for-all";
  return fields.includes("tag") ? "tag-refused" : "room-refused";
}

export interface SettlementDependencies {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly clock: Clock;
  readonly leaseSeconds: number;
}

/** Settles the message. Does not throw QueueError: a failure is logged and the message is left to its lease. */
export type Settle = (held: HeldMessage, outcome: FailedOutcome) => Promise<void>;

const maxRefusals = 5;
const restSeconds = 20;

/** Creates the part of a claim that settles its message if it hands out no room. */
export function createSettle({ pool, deletion, clock, leaseSeconds }: SettlementDependencies): Settle {
  const giveUp = createGiveUp({ pool, deletion, clock });

  async function discard(held: HeldMessage, reason: string, mayExist: boolean): Promise<void> {
    const { log, message } = held;
    const { room } = held.content;
    const outcome = await giveUp({ room, claimId: message.id, reason, message: held, mayExist }, log);
    if (outcome === "lost" || outcome === "unknown") {
      log.warn("room-discard-failed", { room, reason, message: outcome });
      return;
    }
    log.warn("room-discarded", { room, reason });
    // Whoever cleared the pool wanted it empty.
    if (outcome === "deleted") await held.requestRoom();
  }

  async function setInvisible({ message, content, log }: HeldMessage, seconds: number, text?: string) {
    try {
      await pool.setInvisible(message, seconds, text);
    } catch (error) {
      log.warn("release-failed", { room: content.room }, error);
    }
  }

  return async (held, outcome) => {
    const { room, refusals = 0 } = held.content;
    switch (settlements[outcome]) {
      case "discard-room":
        return discard(held, outcome, true);
      case "discard-name":
        return discard(held, outcome, false);
      case "delete-message": {
        const result = await deleteConfirmed(pool, held.message, () => clock.now() < held.heldUntil);
        held.log.error("duplicate-message", { room, outcome: result });
        return;
      }
      case "release":
        return setInvisible(held, 0);
      case "rest":
        return setInvisible(held, restSeconds);
      case "count-refusal": {
        if (refusals + 1 >= maxRefusals) return discard(held, "refused-often", true);
        return setInvisible(held, leaseSeconds, encodeRoomMessage({ room, refusals: refusals + 1 }));
      }
    }
  };
}
