/** Claims a room from the pool. The lease is the rollback: a message that is not deleted comes back by itself. */
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { parseMarker, withMarker } from "../marker.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { type DiscardPorts, discardRoom, queueForDeletion } from "./discard.ts";
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
      const [message] = await pool.receive(1, leaseSeconds);
      if (!message) {
        log.warn("pool-empty");
        await replenishment.heal(log);
        throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
      }
      const room = await secure(message, { serviceTag, startBefore, log });
      if (room) return room;
    }
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  interface Attempt {
    readonly serviceTag: string | undefined;
    readonly startBefore: number;
    readonly log: Log;
  }

  /** The room of this message, made sure to be ours alone; undefined when the next message is to be tried. */
  async function secure(message: QueueMessage, attempt: Attempt): Promise<ConferenceRow | undefined> {
    const { serviceTag, log } = attempt;
    const room = await find(message, attempt);
    if (!room) {
      await discardRoom(options, message, { reason: "stale", exists: false }, log);
      return undefined;
    }
    const marker = parseMarker(room.description);
    if (marker?.state === "assigned") {
      await refuseAssigned(message, marker.messageId === message.id, log);
      return undefined;
    }
    if (!(await assign(message, room, attempt))) return undefined;
    await commit(message, log);
    log.info("room-claimed", { room: room.name });
    await replenishment.replace(log);
    return serviceTag === undefined ? room : { ...room, tag: serviceTag };
  }

  async function find(
    message: QueueMessage,
    { startBefore, log }: Attempt,
  ): Promise<ConferenceRow | undefined> {
    try {
      return await conferences.findByName(message.text, { startBefore, timeoutSeconds });
    } catch (error) {
      await release(message, log);
      throw error;
    }
  }

  /** An earlier claim died before its commit and told nobody, or this is a second message of a room handed out. */
  async function refuseAssigned(message: QueueMessage, isOwn: boolean, log: Log): Promise<void> {
    if (isOwn) {
      await discardRoom(options, message, { reason: "told-nobody", exists: true }, log);
      return;
    }
    log.error("duplicate-message", { room: message.text, outcome: await deleteForSure(pool, message) });
  }

  /** Writes tag and marker; false when the room has vanished and the next is to be tried. */
  async function assign(message: QueueMessage, room: ConferenceRow, attempt: Attempt): Promise<boolean> {
    const { serviceTag, startBefore, log } = attempt;
    const since = new Date(clock.now()).toISOString();
    const description = withMarker(room.description, { state: "assigned", since, messageId: message.id });
    const fields = { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
    try {
      if (await conferences.update(room.id, fields, { startBefore, timeoutSeconds })) return true;
    } catch (error) {
      await recoverFromAssignment(message, error, log);
      throw error;
    }
    await discardRoom(options, message, { reason: "stale", exists: false }, log);
    return false;
  }

  async function recoverFromAssignment(message: QueueMessage, error: unknown, log: Log): Promise<void> {
    if (!(error instanceof PlatformError)) return;
    if (error.outcome === "not-sent" || error.platformStatus === 429) {
      await release(message, log);
    } else if (error.outcome === "unknown") {
      // A change that lands late must find a room that nobody holds.
      await discardRoom(options, message, { reason: "assignment-unknown", exists: true }, log);
    } else if (message.dequeueCount > mostReceives && error.platformStatus === 400) {
      await discardRoom(options, message, { reason: "refused-often", exists: true }, log);
    }
  }

  /** The delete by receipt is what makes the room the caller's; nobody is answered before. */
  async function commit(message: QueueMessage, log: Log): Promise<void> {
    const outcome = await deleteForSure(pool, message);
    if (outcome === "deleted") return;
    log.error("claim-lost", { room: message.text, message: outcome });
    if (outcome === "unknown") await queueForDeletion(deletion, message.text, log);
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  /** Gives the message back at once; should that fail, its lease runs out. */
  async function release(message: QueueMessage, log: Log): Promise<void> {
    try {
      await pool.setInvisible(message, 0);
    } catch (error) {
      log.warn("release-failed", { room: message.text }, error);
    }
  }

  return { claim };
}
