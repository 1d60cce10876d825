/** Claims a room from the pool. The lease is the rollback: a message that is not deleted becomes visible again. */
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { queueForDeletionOrLogLeak } from "../ownership/deletion-queue.ts";
import {
  decodeRoomMessage,
  isDialable,
  isOfOtherGateway,
  parseMarker,
  withMarker,
} from "../ownership/room.ts";
import type { ConferenceFields, ConferenceRow, Conferences } from "../platform/conferences.ts";
import type { ClaimSlots } from "../platform/limiter.ts";
import { type Clock, deleteConfirmed, type QueueMessage, timestampOf } from "../ports.ts";
import { createBreaker } from "./breaker.ts";
import type { Replenishment } from "./replenishment.ts";
import {
  createSettle,
  type FailedOutcome,
  type HeldMessage,
  outcomeOfFailedAssignment,
  type SettlementDependencies,
} from "./settlement.ts";

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
  readonly claimSlots: ClaimSlots;
  readonly gatewayName: string;
}

/** What a caller wants, and until when. */
interface Request {
  readonly serviceTag: string | undefined;
  readonly log: Log;
  /** Nothing but the change starts after this time, in clock milliseconds. */
  readonly findBefore: number;
  /** No change starts after this time, in clock milliseconds. */
  readonly changeBefore: number;
}

/** One message that is tried for a request. */
type Attempt = Request & HeldMessage;

const maxMessagesPerClaim = 10;
const maxClaimSeconds = 25;

/** Creates the claims of one instance. The numbers of the steps are those of `docs/architecture.md`. */
export function createClaims(options: ClaimOptions): Claims {
  const { pool, deletion, conferences, replenishment, claimSlots, clock } = options;
  const { leaseSeconds, gatewayName: gateway } = options;
  // A late PATCH must end with a known outcome, long before the lease ends and another claim can hold the room.
  const deadlineSeconds = Math.min(maxClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);
  const settle = createSettle(options);
  const breaker = createBreaker(clock);

  /** Step 1: leases one message. Throws `pool-exhausted` if there is none. */
  async function receive(log: Log): Promise<HeldMessage> {
    const heldUntil = clock.now() + leaseSeconds * 1000;
    const [message] = await pool.receive(1, leaseSeconds);
    if (message) return { message, content: decodeRoomMessage(message.text), heldUntil, log };
    log.warn("pool-empty");
    await replenishment.topUpByOne(log);
    throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
  }

  /** Steps 2 and 3, with this message or, if it yields no room, with further ones. */
  async function assignRoom(request: Request, first: HeldMessage) {
    let held = first;
    for (let messages = 1; ; messages++) {
      const attempt = { ...request, ...held };
      const found = await find(attempt);
      const room = found && (await assign(attempt, found));
      if (room) return { held, room };
      if (messages >= maxMessagesPerClaim) throw new GatewayError("claim-failed", { retryAfterSeconds: 1 });
      if (clock.now() >= request.findBefore) throw new GatewayError("claim-failed", { retryAfterSeconds: 5 });
      held = await receive(request.log);
    }
  }

  /** Step 2: reads the room from the platform. Returns undefined if it cannot be handed out. */
  async function find(attempt: Attempt): Promise<ConferenceRow | undefined> {
    const { message, content, findBefore: startBefore } = attempt;
    const room = await conferences
      .findByName(content.room, { isInClaim: true, startBefore, timeoutSeconds })
      .catch(async (error: unknown) => {
        await settle(attempt, "find-failed");
        throw error;
      });
    const failure = outcomeOfLookUp(room, message);
    if (failure === undefined) return room;
    await settle(attempt, failure);
    return undefined;
  }

  /** Returns why the room that a look-up found cannot be handed out, or undefined if it can. */
  function outcomeOfLookUp(
    room: ConferenceRow | undefined,
    message: QueueMessage,
  ): FailedOutcome | undefined {
    if (!room) return "room-missing";
    if (isOfOtherGateway(room, gateway)) return "other-gateway";
    const marker = parseMarker(room.description);
    if (marker?.state === "assigned")
      return marker.messageId === message.id ? "unanswered-claim" : "duplicate-message";
    if (isDialable(room)) return undefined;
    return marker ? "room-without-alias" : "unmarked-room-without-alias";
  }

  /** Step 3: writes the tag and the marker. Returns the room as written, or undefined if it has disappeared. */
  async function assign(attempt: Attempt, room: ConferenceRow): Promise<ConferenceRow | undefined> {
    const { message, serviceTag, changeBefore: startBefore, log } = attempt;
    // What was sent last: the caller gets it, and a trial of the breaker repeats it.
    let sent: ConferenceFields = {};
    // Computed when the call is sent, because it may wait: an event before that is about another conference.
    const fields = () => {
      const marker = { gateway, since: timestampOf(clock), messageId: message.id };
      const description = withMarker(room.description, { ...marker, state: "assigned" });
      sent = { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
      return sent;
    };
    const limits = { isInClaim: true, startBefore, timeoutSeconds };
    const change = async () => conferences.update(room.id, fields, limits);
    const isFound = await breaker.run(change, log).catch(async (error: unknown) => {
      const outcome = outcomeOfFailedAssignment(error);
      const isDeleted = await settle(attempt, outcome);
      // Another claim may receive the message, and hand out the room, unless its deletion is confirmed.
      if (outcome === "assignment-unknown" && isDeleted)
        breaker.addRepeat(async (before) =>
          conferences.update(room.id, sent, { startBefore: before, timeoutSeconds }),
        );
      throw error;
    });
    if (isFound) return { ...room, ...sent };
    await settle(attempt, "room-missing");
    return undefined;
  }

  /** Steps 4 and 5, sent together: the replacement is withdrawn if the commit fails. */
  async function commitAndReplace(held: HeldMessage): Promise<void> {
    const replacement = replenishment.requestReplacement(held.log);
    try {
      await commit(held);
    } catch (error) {
      await (await replacement).withdraw();
      throw error;
    }
    await replacement;
  }

  /** Step 4: deletes the message by its receipt. Only this makes the room the caller's. */
  async function commit({ message, content, heldUntil, log }: HeldMessage): Promise<void> {
    const { room } = content;
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
      breaker.check();
      // Callers do not wait longer than the deadline. A claim that begins in the first half of its time can end in it.
      const before = (share: number) => clock.now() + share * deadlineSeconds * 1000;
      const request = { serviceTag, log, findBefore: before(1 / 2), changeBefore: before(1) };
      const { held, room } = await claimSlots.run({
        startBefore: request.findBefore,
        async prepare() {
          await breaker.tryFirst(request.findBefore, log);
          return receive(log);
        },
        abandon: async (message) => settle(message, "no-slot"),
        work: async (message) => assignRoom(request, message),
      });
      await commitAndReplace(held);
      return room;
    },
  };
}
