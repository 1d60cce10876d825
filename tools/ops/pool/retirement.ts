/**
 * Takes rooms out of the pool and has them deleted. A retirement is a real claim whose caller is the operator: the
 * marker says `assigned` before anything else happens, so no caller can get the room from then on, whatever fails.
 */

import { GatewayError } from "../../../src/lib/errors.ts";
import type { Log } from "../../../src/lib/log.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { decodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createLimiter } from "../../../src/lib/platform/limiter.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import type { Replenishment } from "../../../src/lib/pool/replenishment.ts";
import {
  type Clock,
  type Queue,
  QueueError,
  type QueueMessage,
  secureRandom,
} from "../../../src/lib/ports.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { withTakenOut } from "../../log/taken-out.ts";

export interface RetirementOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly settings: Pick<Settings, "pool" | "platform" | "rooms">;
  /** Requests the replacement of a room. The default makes the pool smaller. */
  readonly replenishment?: Pick<Replenishment, "requestReplacement"> | undefined;
  /** Which command retires the rooms. */
  readonly command: string;
  /** The object ID of the operator who ran the command. */
  readonly operator?: string | undefined;
  /** Whether to take out the room of this name. The default takes any. */
  readonly chooses?: (room: string) => boolean;
  /** How many messages that are not chosen may be held back at once. */
  readonly maxHeld?: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Retires one chosen room. Returns "none" if the pool has none, "dropped" if its name leads to no room that can be handed
 * out, and "passed" if the name is not the pool's concern. Throws PlatformError, QueueError or `claim-failed`; the room is
 * then in the pool, or on its way to its deletion.
 */
export async function retireRoom(options: RetirementOptions) {
  const { pool, deletion, conferences, settings, replenishment, command, operator, clock } = options;
  const { chooses = () => true, maxHeld = 0 } = options;
  const { leaseSeconds } = settings.pool;
  const notChosen: QueueMessage[] = [];
  let chosen: QueueMessage | undefined;
  let leaseEndsAt = 0;
  let isDropped = false;

  /** Before the claim, whose time is too short to search a large pool. Returns whether it has found a message. */
  async function findChosen(): Promise<boolean> {
    while (notChosen.length <= maxHeld) {
      leaseEndsAt = clock.now() + leaseSeconds * 1000;
      const [message] = await pool.receive(1, leaseSeconds);
      if (!message) return false;
      // A claim that begins late in the lease could still change the room after it.
      const isInTime = clock.now() < leaseEndsAt - leaseSeconds * 500;
      if (isInTime && chooses(decodeRoomMessage(message.text).room)) {
        chosen = message;
        return true;
      }
      notChosen.push(message);
    }
    return false;
  }

  /** The lease began before the claim. After it, another claim may have handed the room out. */
  const isHeld = () => clock.now() < leaseEndsAt;

  const claims = createClaims({
    pool: {
      ...pool,
      receive: async () => {
        const messages = chosen ? [chosen] : [];
        chosen = undefined;
        return messages;
      },
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
    replenishment: {
      ...(replenishment ?? noReplacement),
      // Only a caller who finds the pool empty has a reason to top it up.
      topUpByOne: async () => undefined,
    },
    clock,
    leaseSeconds,
    platformTimeoutSeconds: settings.platform.timeoutSeconds,
    gatewayName: settings.rooms.gatewayName,
    // One at a time: `leaseEndsAt` is that of the claim in progress.
    claimSlots: createLimiter(1, clock, secureRandom).claimSlots,
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
    if (!(await findChosen())) return "none";
    await claims.claim(undefined, log);
    return "retired";
  } catch (error) {
    // The claim dealt with this message but got no room, perhaps after its time.
    const code = error instanceof GatewayError ? error.code : undefined;
    if (isDropped && (code === "pool-exhausted" || code === "claim-failed")) return "dropped";
    if (code === "pool-exhausted") return "passed";
    throw error;
  } finally {
    // A message that cannot be released becomes visible when its lease ends.
    for (const message of notChosen) await pool.setInvisible(message, 0).catch(() => undefined);
  }
}

const noReplacement: Pick<Replenishment, "requestReplacement"> = {
  requestReplacement: async () => ({ withdraw: async () => undefined }),
};
