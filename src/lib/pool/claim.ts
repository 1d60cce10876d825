/** Claims a room from the pool. The lease is the rollback: a message that is not deleted becomes visible again. */
import PQueue from "p-queue";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { type Clock, deleteConfirmed } from "../ports.ts";
import {
  type ClaimAttempt,
  createDispose,
  type DisposalDependencies,
  outcomeOfFailedAssignment,
} from "./claim-failures.ts";
import { queueForDeletionOrLogLeak } from "./deletion-queue.ts";
import type { Replenishment } from "./replenishment.ts";
import { decodeQueuedName, isDialable, parseMarker, withMarker } from "./room.ts";

export interface Claims {
  /**
   * Hands out one room that no other caller has or will get, and sets its tag if one is given. Throws
   * `pool-exhausted`, `claim-failed`, PlatformError or QueueError; no caller has the room in these cases.
   */
  claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow>;
}

export interface ClaimOptions extends DisposalDependencies {
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly replenishment: Pick<Replenishment, "heal" | "replace">;
  readonly clock: Clock;
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
  /** Further claims wait without a message, which another instance may hand out in the meantime. */
  readonly maxClaimsAtOnce: number;
}

const maxMessagesPerClaim = 10;
const maxClaimSeconds = 25;

/** Creates the claims of one instance. The numbers of the steps are those of `docs/architecture.md`. */
export function createClaims(options: ClaimOptions): Claims {
  const { pool, deletion, conferences, replenishment, clock, leaseSeconds } = options;
  // A late PATCH must end, with a known outcome, long before the lease does and another claim may hold the room.
  const deadlineSeconds = Math.min(maxClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);
  const dispose = createDispose(options);
  const turns = new PQueue({ concurrency: options.maxClaimsAtOnce });

  /** Returns undefined if the message gives no room and the next message is to be tried. */
  async function tryMessage(claim: Pick<ClaimAttempt, "startBefore" | "serviceTag" | "log">) {
    const attempt = { ...claim, ...(await receive(claim.log)) }; // 1
    const room = await find(attempt); //                            2
    if (!room || !(await assign(attempt, room))) return undefined; // 3
    await commitAndReplace(attempt); //                             4 and 5
    return claim.serviceTag === undefined ? room : { ...room, tag: claim.serviceTag };
  }

  /** Step 1: leases one message. Throws `pool-exhausted` if there is none. */
  async function receive(log: Log) {
    const heldUntil = clock.now() + leaseSeconds * 1000;
    const [message] = await pool.receive(1, leaseSeconds);
    if (message) return { message, heldUntil, leaseSeconds, name: decodeQueuedName(message.text) };
    log.warn("pool-empty");
    await replenishment.heal(log);
    throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
  }

  /** Step 2: reads the room from the platform. Returns undefined if it cannot be handed out. */
  async function find(attempt: ClaimAttempt): Promise<ConferenceRow | undefined> {
    const { message, name, startBefore } = attempt;
    const room = await conferences
      .findByName(name.room, { startBefore, timeoutSeconds })
      .catch(async (error: unknown) => {
        await dispose(attempt, "find-failed");
        throw error;
      });
    const marker = parseMarker(room?.description);
    if (!room) await dispose(attempt, "room-missing");
    // Assigned with this message's id: that claim died before its commit, so its caller never got a response.
    else if (marker?.state === "assigned")
      await dispose(
        attempt,
        marker.messageId === message.id ? "unanswered-claim" : "duplicate-message",
        room,
      );
    else if (!isDialable(room))
      await dispose(attempt, marker ? "room-without-alias" : "unmarked-room-without-alias", room);
    else return room;
    return undefined;
  }

  /** Step 3: writes the tag and the marker. Returns false if the room has vanished. */
  async function assign(attempt: ClaimAttempt, room: ConferenceRow): Promise<boolean> {
    const { message, serviceTag, startBefore } = attempt;
    const since = new Date(clock.now()).toISOString();
    const description = withMarker(room.description, { state: "assigned", since, messageId: message.id });
    const fields = { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
    const isFound = await conferences
      .update(room.id, fields, { startBefore, timeoutSeconds })
      .catch(async (error: unknown) => {
        await dispose(attempt, outcomeOfFailedAssignment(error), room);
        throw error;
      });
    if (!isFound) await dispose(attempt, "room-missing");
    return isFound;
  }

  /** Steps 4 and 5, sent together: the replacement is withdrawn if the commit fails. */
  async function commitAndReplace(attempt: ClaimAttempt): Promise<void> {
    const replacement = replenishment.replace(attempt.log);
    try {
      await commit(attempt);
    } catch (error) {
      await (await replacement).withdraw();
      throw error;
    }
    await replacement;
  }

  /** Step 4: deletes the message by its receipt. Only this makes the room the caller's. */
  async function commit({ message, name, heldUntil, log }: ClaimAttempt): Promise<void> {
    const { room } = name;
    const outcome = await deleteConfirmed(pool, message, () => clock.now() < heldUntil);
    if (outcome === "deleted") {
      log.info("room-claimed", { room });
      return;
    }
    log.error("claim-lost", { room, message: outcome });
    // If bulk delete cleared the pool, no claim can receive the room, and its lists may have missed it.
    if (outcome === "unknown" || outcome === "gone") await queueForDeletionOrLogLeak(deletion, { room }, log);
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  return {
    async claim(serviceTag, log) {
      // The deadline runs from the request's arrival; callers do not wait longer than that.
      const startBefore = clock.now() + deadlineSeconds * 1000;
      return turns.add(async () => {
        for (let messages = 0; messages < maxMessagesPerClaim && clock.now() < startBefore; messages++) {
          const room = await tryMessage({ startBefore, serviceTag, log });
          if (room) return room;
        }
        throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
      });
    },
  };
}
