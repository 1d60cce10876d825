/** Claims a room from the pool. The lease is the rollback: a message that is not deleted comes back by itself. */
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { parseMarker, withMarker } from "../marker.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { type DiscardPorts, type DiscardReason, discardRoom, queueForDeletion } from "./discard.ts";
import { deleteForSure, type QueueMessage } from "./queue.ts";

export interface Claims {
  /**
   * Hands out one room that nobody else has or will have, its tag set when one is given. Throws `pool-exhausted`,
   * `claim-failed`, PlatformError or QueueError; then no caller has the room.
   */
  claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow>;
}

export interface ClaimOptions extends DiscardPorts {
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly clock: Clock;
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
}

const mostMessagesPerClaim = 10;
const longestClaimSeconds = 25;
const mostReceives = 5;

export function createClaims(options: ClaimOptions): Claims {
  const { pool, deletion, replenishment, conferences, clock, leaseSeconds } = options;
  // A late PATCH must be over, and its outcome known, long before the lease ends and somebody else may hold the room.
  const deadlineSeconds = Math.min(longestClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);

  async function claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow> {
    const startBefore = clock.now() + deadlineSeconds * 1000;
    for (let messages = 0; messages < mostMessagesPerClaim && clock.now() < startBefore; messages++) {
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

  /** One message and its room, tried for one caller. */
  interface Attempt {
    readonly message: QueueMessage;
    readonly serviceTag: string | undefined;
    readonly startBefore: number;
    /** Whether the lease of the message still runs. */
    readonly isHeld: () => boolean;
    readonly log: Log;
  }

  /** The room of this message, made sure to be ours alone; undefined when the next message is to be tried. */
  async function secure(attempt: Attempt): Promise<ConferenceRow | undefined> {
    const { message, serviceTag, log } = attempt;
    const room = await find(attempt);
    if (!room) {
      await discard(attempt, "stale");
      return undefined;
    }
    const marker = parseMarker(room.description);
    if (marker?.state === "assigned") {
      await refuseAssigned(attempt, marker.messageId === message.id);
      return undefined;
    }
    if (!(await assign(attempt, room))) return undefined;
    await commit(attempt);
    log.info("room-claimed", { room: room.name });
    await replenishment.replace(log);
    return serviceTag === undefined ? room : { ...room, tag: serviceTag };
  }

  async function find(attempt: Attempt): Promise<ConferenceRow | undefined> {
    const { message, startBefore } = attempt;
    try {
      return await conferences.findByName(message.text, { startBefore, timeoutSeconds });
    } catch (error) {
      if (isRoomsFault(error)) await discardAfterManyTries(attempt);
      else await release(attempt);
      throw error;
    }
  }

  /** An earlier claim died before its commit and told nobody, or this is a second message of a room handed out. */
  async function refuseAssigned(attempt: Attempt, isOwn: boolean): Promise<void> {
    if (isOwn) return discard(attempt, "told-nobody");
    const { message, isHeld, log } = attempt;
    const outcome = await deleteForSure(pool, message, isHeld);
    log.error("duplicate-message", { room: message.text, outcome });
  }

  /** Writes tag and marker; false when the room has vanished and the next is to be tried. */
  async function assign(attempt: Attempt, room: ConferenceRow): Promise<boolean> {
    const { message, serviceTag, startBefore } = attempt;
    const since = new Date(clock.now()).toISOString();
    const description = withMarker(room.description, { state: "assigned", since, messageId: message.id });
    const fields = { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
    try {
      if (await conferences.update(room.id, fields, { startBefore, timeoutSeconds })) return true;
    } catch (error) {
      await recoverFromAssignment(attempt, error);
      throw error;
    }
    await discard(attempt, "stale");
    return false;
  }

  async function recoverFromAssignment(attempt: Attempt, error: unknown): Promise<void> {
    if (!(error instanceof PlatformError)) return;
    if (error.outcome === "not-sent" || error.platformStatus === 429) {
      await release(attempt);
    } else if (error.outcome === "unknown") {
      // A change that lands late must find a room that nobody holds.
      await discard(attempt, "assignment-unknown");
    } else if (isRoomsFault(error)) {
      await discardAfterManyTries(attempt);
    }
  }

  /** A room that is refused waits out its lease, and is given up when that has happened again and again. */
  async function discardAfterManyTries(attempt: Attempt): Promise<void> {
    if (attempt.message.dequeueCount > mostReceives) await discard(attempt, "refused-often");
  }

  /** The delete by receipt is what makes the room the caller's; nobody is answered before. */
  async function commit({ message, isHeld, log }: Attempt): Promise<void> {
    const outcome = await deleteForSure(pool, message, isHeld);
    if (outcome === "deleted") return;
    log.error("claim-lost", { room: message.text, message: outcome });
    if (outcome === "unknown") await queueForDeletion(deletion, message.text, log);
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  async function discard({ message, isHeld, log }: Attempt, reason: DiscardReason): Promise<void> {
    await discardRoom(options, message, { reason, exists: reason !== "stale", isHeld }, log);
  }

  /** Gives the message back at once; should that fail, its lease runs out. */
  async function release({ message, log }: Attempt): Promise<void> {
    try {
      await pool.setInvisible(message, 0);
    } catch (error) {
      log.warn("release-failed", { room: message.text }, error);
    }
  }

  return { claim };
}

// A platform that is busy, or refuses our log-in, refuses every room alike: that is no reason to give up this one.
const refusedForAll = [401, 403, 429];

function isRoomsFault(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.outcome !== "refused") return false;
  return error.platformStatus === undefined || !refusedForAll.includes(error.platformStatus);
}
