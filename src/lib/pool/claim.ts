/** Claims a room from the pool. The lease is the rollback: a message that is not deleted becomes visible again. */
import PQueue from "p-queue";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import { type Clock, deleteConfirmed, type QueueMessage, timestampOf } from "../ports.ts";
import {
  type ClaimAttempt,
  createSettle,
  type FailedOutcome,
  outcomeOfFailedAssignment,
  type SettlementDependencies,
} from "./claim-failures.ts";
import { queueForDeletionOrLogLeak } from "./deletion-queue.ts";
import type { Replenishment } from "./replenishment.ts";
import { decodeRoomMessage, isDialable, parseMarker, withMarker } from "./room.ts";

/** Hands out rooms from the pool. */
export interface Claims {
  /**
   * Hands out one room that no other caller has or will get, and sets its tag if one is given. Throws
   * `pool-exhausted`, `claim-failed`, PlatformError or QueueError; no caller has the room in these cases.
   */
  claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow>;
}

/** The dependencies of claims, and their limits. */
export interface ClaimOptions extends SettlementDependencies {
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly replenishment: Pick<Replenishment, "topUpByOne" | "requestReplacement">;
  readonly clock: Clock;
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
  /** Further claims wait without a message, which another instance may hand out in the meantime. */
  readonly maxClaimsAtOnce: number;
}

const maxMessagesPerClaim = 10;
const maxClaimSeconds = 25;
const overloadRetryAfterSeconds = 5;

/** Creates the claims of one instance. The numbers of the steps are those of `docs/architecture.md`. */
export function createClaims(options: ClaimOptions): Claims {
  const { pool, deletion, conferences, replenishment, clock, leaseSeconds } = options;
  // A late PATCH must end with a known outcome, long before the lease ends and another claim can hold the room.
  const deadlineSeconds = Math.min(maxClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);
  const settle = createSettle(options);
  const breaker = createBreaker(clock);
  const turns = new PQueue({ concurrency: options.maxClaimsAtOnce });

  /** Returns undefined if the message yields no room and the next message is to be tried. */
  async function tryMessage(claim: Pick<ClaimAttempt, "findBefore" | "startBefore" | "serviceTag" | "log">) {
    const attempt = { ...claim, ...(await receive(claim.log)) }; //             1
    const found = await find(attempt); //                                       2
    const assigned = found && (await assign(attempt, found)); //                3
    if (assigned) await commitAndReplace(attempt); //                           4 and 5
    return assigned;
  }

  /** Step 1: leases one message. Throws `pool-exhausted` if there is none. */
  async function receive(log: Log) {
    const heldUntil = clock.now() + leaseSeconds * 1000;
    const [message] = await pool.receive(1, leaseSeconds);
    if (message) return { message, heldUntil, leaseSeconds, name: decodeRoomMessage(message.text) };
    log.warn("pool-empty");
    await replenishment.topUpByOne(log);
    throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
  }

  /** Step 2: reads the room from the platform. Returns undefined if it cannot be handed out. */
  async function find(attempt: ClaimAttempt): Promise<ConferenceRow | undefined> {
    const { message, name, findBefore } = attempt;
    const room = await conferences
      .findByName(name.room, { startBefore: findBefore, timeoutSeconds })
      .catch(async (error: unknown) => {
        await settle(attempt, "find-failed");
        throw error;
      });
    const failure = outcomeOfLookUp(room, message);
    if (failure === undefined) return room;
    await settle(attempt, failure);
    return undefined;
  }

  /** Step 3: writes the tag and the marker. Returns the room as written, or undefined if it has disappeared. */
  async function assign(attempt: ClaimAttempt, room: ConferenceRow): Promise<ConferenceRow | undefined> {
    const { message, serviceTag, startBefore, log } = attempt;
    let changed = {};
    // Computed when the call is sent, because it may wait for a slot: an event before that is about another conference.
    const fields = () => {
      const since = timestampOf(clock);
      const description = withMarker(room.description, { state: "assigned", since, messageId: message.id });
      return (changed = { description, ...(serviceTag !== undefined && { tag: serviceTag }) });
    };
    const isFound = await breaker
      .run(log, async () => conferences.update(room.id, fields, { startBefore, timeoutSeconds }))
      .catch(async (error: unknown) => {
        await settle(attempt, outcomeOfFailedAssignment(error));
        throw error;
      });
    if (isFound) return { ...room, ...changed };
    await settle(attempt, "room-missing");
    return undefined;
  }

  /** Steps 4 and 5, sent together: the replacement is withdrawn if the commit fails. */
  async function commitAndReplace(attempt: ClaimAttempt): Promise<void> {
    const replacement = replenishment.requestReplacement(attempt.log);
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
    if (outcome === "unknown" || outcome === "gone")
      await queueForDeletionOrLogLeak(deletion, { room, claimId: message.id, reason: "claim-lost" }, log);
    throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
  }

  return {
    async claim(serviceTag, log) {
      // All run from the request's arrival; callers do not wait longer than that. A claim whose turn comes after half of
      // its time is refused before it costs a call: it would keep a slot busy and miss its deadline anyway. The rest is
      // enough for the queue and for a slot, and a look-up that starts in time leaves enough for the change.
      const secondsFromNow = (seconds: number) => clock.now() + seconds * 1000;
      const turnBefore = secondsFromNow(deadlineSeconds / 2);
      const findBefore = secondsFromNow((3 * deadlineSeconds) / 4);
      const startBefore = secondsFromNow(deadlineSeconds);
      return turns.add(async () => {
        for (let messages = 0; messages < maxMessagesPerClaim; messages++) {
          if (clock.now() >= turnBefore)
            throw new GatewayError("claim-failed", { retryAfterSeconds: overloadRetryAfterSeconds });
          breaker.check();
          const room = await tryMessage({ findBefore, startBefore, serviceTag, log });
          if (room) return room;
        }
        throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
      });
    },
  };
}

/** Returns why the room that a look-up found cannot be handed out, or undefined if it can. */
function outcomeOfLookUp(room: ConferenceRow | undefined, message: QueueMessage): FailedOutcome | undefined {
  if (!room) return "room-missing";
  const marker = parseMarker(room.description);
  if (marker?.state === "assigned")
    return marker.messageId === message.id ? "unanswered-claim" : "duplicate-message";
  if (isDialable(room)) return undefined;
  return marker ? "room-without-alias" : "unmarked-room-without-alias";
}

const maxUnknownInRow = 3;
const minPauseSeconds = 10;
const maxPauseSeconds = 300;

/**
 * Creates the circuit breaker of step 3. Every change with an unknown outcome costs a room, so after three of them in a
 * row none is sent during a pause. Then one claim alone tries; if its outcome is unknown too, the next pause is twice as
 * long. An instance therefore loses three rooms, those of the calls in flight, and one room per pause.
 */
function createBreaker(clock: Pick<Clock, "now">) {
  let unknownInRow = 0;
  let pauseSeconds = minPauseSeconds;
  let pausedUntil = 0;
  let isTrying = false;

  const isOpen = () => unknownInRow >= maxUnknownInRow;

  /** Throws a PlatformError that says "not sent" while no change may be sent. */
  function check(): void {
    const remainingSeconds = Math.ceil((pausedUntil - clock.now()) / 1000);
    if (!isOpen() || (remainingSeconds <= 0 && !isTrying)) return;
    throw new PlatformError({
      outcome: "not-sent",
      message: "assignments are paused after several unknown outcomes",
      retryAfterSeconds: Math.max(1, remainingSeconds),
    });
  }

  function pause(log: Log): void {
    pausedUntil = clock.now() + pauseSeconds * 1000;
    log.error("assignments-paused", { seconds: pauseSeconds });
    pauseSeconds = Math.min(2 * pauseSeconds, maxPauseSeconds);
  }

  /** Sends one change and records its outcome. */
  async function run<Result>(log: Log, send: () => Promise<Result>): Promise<Result> {
    check();
    const isTrial = isOpen();
    isTrying = isTrial;
    try {
      const result = await send();
      onKnown();
      return result;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.outcome === "refused") onKnown();
      else if (error.outcome === "unknown") {
        unknownInRow += 1;
        if (isTrial || unknownInRow === maxUnknownInRow) pause(log);
      }
      throw error;
    } finally {
      if (isTrial) isTrying = false;
    }
  }

  function onKnown(): void {
    unknownInRow = 0;
    pauseSeconds = minPauseSeconds;
  }

  return { check, run };
}
