/**
 * Takes rooms out of the pool and has them deleted. A retirement is a real claim whose caller is the operator: the
 * marker says `assigned` before anything else happens, so no caller can get the room from then on, whatever fails.
 */

import { GatewayError } from "../../../src/lib/errors.ts";
import type { Log } from "../../../src/lib/log.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createLimiter } from "../../../src/lib/platform/limiter.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import type { Replenishment } from "../../../src/lib/pool/replenishment.ts";
import { type Clock, secureRandom } from "../../../src/lib/ports.ts";
import { type Queue, QueueError, type QueueMessage } from "../../../src/lib/queue.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { withTakenOut } from "./taken-out.ts";

export interface RetirementOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly settings: Pick<Settings, "pool" | "platform" | "rooms">;
  /** Which command retires the rooms. */
  readonly command: string;
  /** The object ID of the operator who ran the command. */
  readonly operator?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Retires one room. Returns "none" if the pool has none, and "dropped" if its name left the pool but leads to no room
 * that can be handed out. Throws PlatformError, QueueError or `claim-failed`; the room is then in the pool, or on its
 * way to its deletion.
 */
export async function retireRoom(options: RetirementOptions): Promise<"retired" | "dropped" | "none"> {
  const { pool, deletion, conferences, settings, command, operator, clock } = options;
  const { leaseSeconds } = settings.pool;
  let received: QueueMessage | undefined;
  let leaseEndsAt = 0;
  let isDropped = false;

  /** Receives the first message only, so that the caller can count. */
  async function receive(): Promise<QueueMessage[]> {
    if (received) return [];
    leaseEndsAt = clock.now() + leaseSeconds * 1000;
    const [message] = await pool.receive(1, leaseSeconds);
    // A claim that begins late in the lease could still change the room after it.
    const isInTime = clock.now() < leaseEndsAt - leaseSeconds * 500;
    if (!message || !isInTime) return [];
    received = message;
    return [message];
  }

  /** After the lease, another claim may have handed the room out. */
  const isHeld = () => clock.now() < leaseEndsAt;

  // One at a time: `leaseEndsAt` is that of the claim in progress.
  const limiter = createLimiter(1, clock, secureRandom);

  const claims = createClaims({
    pool: {
      ...pool,
      receive,
      delete: async (message) => {
        if (!isHeld()) throw new QueueError("receipt-stale", "the lease has ended");
        await pool.delete(message);
      },
    },
    conferences: {
      ...conferences,
      findByName: async (name, limits) => {
        const room = await conferences.findByName(name, limits);
        return room && { ...room, description: withTakenOut(room.description ?? "", command) };
      },
    },
    deletion,
    replenishment: noReplenishment,
    clock,
    leaseSeconds,
    platformTimeoutSeconds: settings.platform.timeoutSeconds,
    gatewayName: settings.rooms.gatewayName,
    takeClaimSlot: async (startBefore) => limiter.takeSlot("claim", startBefore),
    beforeCommit: async ({ message, content: { room } }) => {
      const by = { reason: `ops ${command}`, operator };
      if (isHeld()) await queueForDeletion(deletion, { room, claimId: message.id, ...by });
    },
  });

  const log: Log = {
    ...options.log,
    warn: (event, fields, cause) => {
      if (event === "room-discarded") isDropped = true;
      // An empty pool is a result here, not a warning.
      if (event !== "pool-empty") options.log.warn(event, fields, cause);
    },
  };
  try {
    await claims.claim(undefined, log);
    return "retired";
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : undefined;
    if (code === "pool-exhausted") return received ? "dropped" : "none";
    // The claim has discarded the room, but only after its time.
    if (code === "claim-failed" && isDropped) return "dropped";
    throw error;
  }
}

/** The pool is to become smaller. */
const noReplenishment: Pick<Replenishment, "requestReplacement" | "topUpByOne"> = {
  requestReplacement: async () => ({ withdraw: async () => undefined }),
  topUpByOne: async () => undefined,
};
