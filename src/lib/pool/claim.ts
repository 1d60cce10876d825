/** Claims a room from the pool. The lease is the rollback: a message that is not deleted comes back by itself. */
import PQueue from "p-queue";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import { deleteConfirmed } from "../queues/queue.ts";
import { parseMarker } from "../rooms/marker.ts";
import { type AssignmentOptions, createAssignment } from "./assignment.ts";
import { type DiscardPorts, queueForDeletion } from "./discard.ts";
import { type ClaimAttempt, createDisposal } from "./disposal.ts";

export interface Claims {
  /**
   * Hands out one room that nobody else has or will have, its tag set when one is given. Throws `pool-exhausted`,
   * `claim-failed`, PlatformError or QueueError; then no caller has the room.
   */
  claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow>;
}

export interface ClaimOptions extends DiscardPorts, Pick<AssignmentOptions, "conferences" | "clock"> {
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
  /** Further claims wait for their turn without a message, which another instance may hand out meanwhile. */
  readonly maxClaimsAtOnce: number;
}

const maxMessagesPerClaim = 10;
const maxClaimSeconds = 25;

export function createClaims(options: ClaimOptions): Claims {
  const { pool, deletion, replenishment, clock, leaseSeconds } = options;
  // A late PATCH must be over, and its outcome known, long before the lease ends and somebody else may hold the room.
  const deadlineSeconds = Math.min(maxClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);
  const disposal = createDisposal(options);
  const assignment = createAssignment({ ...options, timeoutSeconds, disposal });
  const turns = new PQueue({ concurrency: options.maxClaimsAtOnce });

  async function claimBefore(
    startBefore: number,
    serviceTag: string | undefined,
    log: Log,
  ): Promise<ConferenceRow> {
    for (let messages = 0; messages < maxMessagesPerClaim && clock.now() < startBefore; messages++) {
      const heldUntil = clock.now() + leaseSeconds * 1000;
      const isHeld = () => clock.now() < heldUntil;
      const [message] = await pool.receive(1, leaseSeconds);
      if (!message) {
        log.warn("pool-empty");
        await replenishment.heal(log);
        throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
      }
      const room = await secure({ message, serviceTag, startBefore, isHeld, log });
      if (room) return room;
    }
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  /** The room of this message, made sure to be ours alone; undefined when the next message is to be tried. */
  async function secure(attempt: ClaimAttempt): Promise<ConferenceRow | undefined> {
    const { message, serviceTag, log } = attempt;
    const room = await assignment.find(attempt);
    const marker = parseMarker(room?.description);
    if (marker?.state === "assigned") {
      await refuseAssigned(attempt, marker.messageId === message.id);
      return undefined;
    }
    if (!room || !(await assignment.assign(attempt, room))) {
      await disposal.discard(attempt, "stale");
      return undefined;
    }
    await commit(attempt);
    log.info("room-claimed", { room: room.name });
    await replenishment.replace(log);
    return serviceTag === undefined ? room : { ...room, tag: serviceTag };
  }

  /** An earlier claim died before its commit and told nobody, or this is a second message of a room handed out. */
  async function refuseAssigned(attempt: ClaimAttempt, isOwn: boolean): Promise<void> {
    if (isOwn) return disposal.discard(attempt, "told-nobody");
    const { message, isHeld, log } = attempt;
    const outcome = await deleteConfirmed(pool, message, isHeld);
    log.error("duplicate-message", { room: message.text, outcome });
  }

  /** The delete by receipt is what makes the room the caller's; nobody is answered before. */
  async function commit({ message, isHeld, log }: ClaimAttempt): Promise<void> {
    const outcome = await deleteConfirmed(pool, message, isHeld);
    if (outcome === "deleted") return;
    log.error("claim-lost", { room: message.text, message: outcome });
    if (outcome === "unknown") await queueForDeletion(deletion, message.text, log);
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  return {
    async claim(serviceTag, log) {
      // Counted from the request's arrival: who waits longer was given up by their own caller.
      const startBefore = clock.now() + deadlineSeconds * 1000;
      return turns.add(async () => claimBefore(startBefore, serviceTag, log));
    },
  };
}
