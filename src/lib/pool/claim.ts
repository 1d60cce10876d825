/** Claims a room from the pool. The lease is the rollback: a message that is not deleted becomes visible again. */
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import {
  decodeRoomMessage,
  isDialable,
  isOfOtherGateway,
  parseMarker,
  withMarker,
} from "../ownership/room.ts";
import type { PlatformClient } from "../platform/client.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import type { Slot } from "../platform/slots.ts";
import { timestampOf } from "../ports.ts";
import { deleteConfirmed, type QueueMessage } from "../queue.ts";
import { createBreaker } from "./breaker.ts";
import { createGiveUp } from "./giving-up.ts";
import type { Replenishment } from "./replenishment.ts";
import {
  createSettle,
  type FailedOutcome,
  type HeldMessage,
  outcomeOfFailedAssignment,
  type SettlementDependencies,
} from "./settlement.ts";

/** Hands out rooms from the pool. */
export type Claims = ReturnType<typeof createClaims>;

/** The dependencies of claims, and their limits. */
export interface ClaimOptions extends SettlementDependencies {
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly replenishment: Pick<Replenishment, "topUpByOne" | "requestReplacement">;
  readonly platformTimeoutSeconds: number;
  readonly takeClaimSlot: PlatformClient["takeClaimSlot"];
  readonly gatewayName: string;
  /** Runs when the room is assigned, before its message is deleted. If it throws, nobody gets the room. */
  readonly beforeCommit?: ((held: HeldMessage) => Promise<void>) | undefined;
}

/** What a caller wants, and until when. */
interface ClaimRequest {
  readonly serviceTag: string | undefined;
  readonly log: Log;
  /** Nothing but the change starts after this time, in clock milliseconds. */
  readonly findBefore: number;
  /** No change starts after this time, in clock milliseconds. */
  readonly changeBefore: number;
  readonly requestRoom: () => Promise<void>;
}

/** One message that is tried for a request. */
interface Candidate extends ClaimRequest, HeldMessage {
  readonly slot: Slot;
}

const maxMessagesPerClaim = 10;
// One room may disappear after its look-up. If several do, the platform, or a proxy, finds no room at all.
const maxVanished = 2;
const maxClaimSeconds = 25;

/** Creates the claims of one instance. The numbers of the steps are those of `docs/architecture.md`. */
export function createClaims(options: ClaimOptions) {
  const { pool, conferences, replenishment, takeClaimSlot, clock } = options;
  const { leaseSeconds, gatewayName: gateway } = options;
  // A late PATCH must end with a known outcome, long before the lease ends and another claim can hold the room.
  const deadlineSeconds = Math.min(maxClaimSeconds, leaseSeconds / 4);
  const timeoutSeconds = Math.min(options.platformTimeoutSeconds, leaseSeconds / 4);
  const settle = createSettle(options);
  const giveUp = createGiveUp(options);
  const breaker = createBreaker(clock);

  /** Step 1: leases one message. Throws `pool-exhausted` if there is none. */
  async function receive({ log, requestRoom }: ClaimRequest): Promise<HeldMessage> {
    const heldUntil = clock.now() + leaseSeconds * 1000;
    const [message] = await pool.receive(1, leaseSeconds);
    if (message) return { message, content: decodeRoomMessage(message.text), heldUntil, requestRoom, log };
    log.warn("pool-empty");
    await requestRoom();
    throw new GatewayError("pool-exhausted", { retryAfterSeconds: 10 });
  }

  const failed = (retryAfterSeconds: number) => new GatewayError("claim-failed", { retryAfterSeconds });

  /** Steps 1 to 3, with further messages if one yields no room. */
  async function assignRoom(request: ClaimRequest) {
    using slot = await takeClaimSlot(request.findBefore);
    if (!slot) throw failed(5);
    let vanished = 0;
    for (let messages = 1; ; messages++) {
      const held = await receive(request);
      const candidate = { ...request, ...held, slot };
      const found = await find(candidate);
      const room = found && (await assign(candidate, found));
      if (room) return { held, room };
      if (found) vanished += 1;
      if (messages >= maxMessagesPerClaim || vanished >= maxVanished) throw failed(1);
      if (clock.now() >= request.findBefore) throw failed(5);
    }
  }

  /** Step 2: reads the room from the platform. Returns undefined if it cannot be handed out. */
  async function find(candidate: Candidate): Promise<ConferenceRow | undefined> {
    const { message, content, slot, findBefore: startBefore } = candidate;
    const room = await conferences
      .findByName(content.room, { slot, startBefore, timeoutSeconds })
      .catch(async (error: unknown) => {
        await settle(candidate, "find-failed");
        throw error;
      });
    const failure = outcomeOfLookUp(room, message);
    if (failure === undefined) return room;
    await settle(candidate, failure);
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
  async function assign(candidate: Candidate, room: ConferenceRow): Promise<ConferenceRow | undefined> {
    const { message, serviceTag, slot, changeBefore: startBefore, log } = candidate;
    const limits = { slot, startBefore, timeoutSeconds };
    // Computed when the call is sent, because it may wait: an event before that is about another conference.
    const fields = () => {
      const marker = { gateway, since: timestampOf(clock), messageId: message.id };
      const description = withMarker(room.description, { ...marker, state: "assigned" });
      return { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
    };
    const change = async () => conferences.update(room.id, fields, limits);
    const sent = await breaker.run(change, log).catch(async (error: unknown) => {
      await settle(candidate, outcomeOfFailedAssignment(error));
      throw error;
    });
    if (sent) return { ...room, ...sent };
    await settle(candidate, "room-vanished");
    return undefined;
  }

  /** Steps 4 and 5, sent together: the replacement is withdrawn if the commit fails. */
  async function commitAndReplace(held: HeldMessage): Promise<void> {
    const replacement = replenishment.requestReplacement(held.log);
    try {
      await options.beforeCommit?.(held);
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
    // If bulk delete cleared the pool, its lists may have missed this room.
    const reason = "claim-lost";
    await giveUp({ room, claimId: message.id, reason, message: outcome, isAssigned: true }, log);
    throw failed(1);
  }

  return {
    /**
     * Hands out one room that no other caller has or will get, and sets its tag if one is given. Throws
     * `pool-exhausted`, `claim-failed`, PlatformError or QueueError; no caller has the room in these cases.
     */
    async claim(serviceTag: string | undefined, log: Log): Promise<ConferenceRow> {
      breaker.check();
      // Callers do not wait longer than the deadline. A claim that begins in the first half of its time can end in it.
      const before = (share: number) => clock.now() + share * deadlineSeconds * 1000;
      let requested: Promise<void> | undefined;
      const requestRoom = async () => {
        requested ??= replenishment.topUpByOne(log);
        return requested;
      };
      const request = { serviceTag, log, findBefore: before(1 / 2), changeBefore: before(1), requestRoom };
      const { held, room } = await assignRoom(request);
      await commitAndReplace(held);
      return room;
    },
  };
}
