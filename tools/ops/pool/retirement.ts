/**
 * Takes rooms out of the pool and has them deleted. A retirement is a real claim whose caller is the operator: the
 * marker says `assigned` before anything else happens, so no caller can get the room from then on, whatever fails.
 */

import { GatewayError } from "../../../src/lib/errors.ts";
import type { Log } from "../../../src/lib/log.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { decodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import type { ConferenceFields, Conferences } from "../../../src/lib/platform/conferences.ts";
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

export interface Retirement {
  /**
   * Retires one room that `chooses` accepts, and returns its name; undefined if the pool has none. Throws PlatformError,
   * QueueError or `claim-failed`; the room is then in the pool, or on its way to its deletion.
   */
  retire(chooses: (room: string) => boolean): Promise<string | undefined>;
  /** Makes messages that were received but not chosen visible again. */
  release(): Promise<void>;
}

export interface RetirementOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly settings: Pick<Settings, "pool" | "platform" | "rooms">;
  /** Requests the replacement of a room; undefined to make the pool smaller. */
  readonly replenishment: Pick<Replenishment, "requestReplacement"> | undefined;
  /** Which command retires the rooms. */
  readonly command: string;
  /** The object ID of the operator who ran the command. */
  readonly operator?: string | undefined;
  /** How many messages that are not chosen may be held back at once. */
  readonly maxHeld: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The message that the claim holds. */
interface Held {
  readonly message: QueueMessage;
  readonly heldUntil: number;
  isAssigned: boolean;
  isQueued: boolean;
}

const noReplacement: Pick<Replenishment, "requestReplacement"> = {
  requestReplacement: async () => ({ withdraw: async () => undefined }),
};

export function createRetirement(options: RetirementOptions): Retirement {
  const { pool, deletion, conferences, settings, replenishment, maxHeld, clock, log } = options;
  const { leaseSeconds } = settings.pool;
  const notChosen: QueueMessage[] = [];
  let chosen: QueueMessage | undefined;
  let held: Held | undefined;

  /** Before the claim, whose time is too short to search a large pool. Returns whether it has found a message. */
  async function findChosen(chooses: (room: string) => boolean): Promise<boolean> {
    while (notChosen.length <= maxHeld) {
      const heldUntil = clock.now() + leaseSeconds * 1000;
      const [message] = await pool.receive(1, leaseSeconds);
      if (!message) return false;
      // The process was suspended: another claim may have the message, or get it before this one has changed the room.
      if (clock.now() > heldUntil - leaseSeconds * 500) continue;
      if (chooses(decodeRoomMessage(message.text).room)) {
        held = { message, heldUntil, isAssigned: false, isQueued: false };
        chosen = message;
        return true;
      }
      notChosen.push(message);
    }
    return false;
  }

  /** Before its message is deleted, so an interruption leaves at least one of the two. */
  async function queueHeld(current: Held): Promise<void> {
    // After the lease, another claim may have handed the room out.
    if (clock.now() >= current.heldUntil) throw new QueueError("receipt-stale", "the lease has ended");
    const { room } = decodeRoomMessage(current.message.text);
    const reason = `ops ${options.command}`;
    await queueForDeletion(deletion, {
      room,
      claimId: current.message.id,
      reason,
      operator: options.operator,
    });
    current.isQueued = true;
  }

  const claims = createClaims({
    pool: {
      ...pool,
      receive: async () => {
        const messages = chosen ? [chosen] : [];
        chosen = undefined;
        return messages;
      },
      delete: async (message) => {
        // A message that is deleted for another reason belongs to a room that the claim did not get.
        if (held?.message.id === message.id && held.isAssigned && !held.isQueued) await queueHeld(held);
        await pool.delete(message);
      },
    },
    conferences: {
      findByName: async (name, limits) => conferences.findByName(name, limits),
      update: async (id, fields, limits) => {
        const sent = await conferences.update(id, () => withCommand(fields, options.command), limits);
        if (held) held.isAssigned = sent !== undefined;
        return sent;
      },
    },
    deletion,
    // Only a caller who finds the pool empty has a reason to top it up.
    replenishment: {
      ...(replenishment ?? noReplacement),
      topUpByOne: async () => undefined,
    },
    clock,
    leaseSeconds,
    platformTimeoutSeconds: settings.platform.timeoutSeconds,
    gatewayName: settings.rooms.gatewayName,
    // One at a time: `held` is the message of the claim in progress.
    claimSlots: createLimiter(1, clock, secureRandom).claimSlots,
  });

  return {
    async retire(chooses) {
      while (await findChosen(chooses)) {
        try {
          const { name } = await claims.claim(undefined, withoutPoolEmpty(log));
          return name;
        } catch (error) {
          // The claim dealt with this message but got no room; try the next one.
          if (!(error instanceof GatewayError && error.code === "pool-exhausted")) throw error;
        }
      }
      return undefined;
    },
    async release() {
      // A message that cannot be released becomes visible when its lease ends.
      for (const message of notChosen.splice(0)) await pool.setInvisible(message, 0).catch(() => undefined);
    },
  };
}

/** The room's description says who took it out of the pool, so it is not mistaken for a caller's room. */
function withCommand(fields: ConferenceFields | (() => ConferenceFields), command: string): ConferenceFields {
  const given = typeof fields === "function" ? fields() : fields;
  const { description } = given;
  return typeof description === "string"
    ? { ...given, description: withTakenOut(description, command) }
    : given;
}

/** An empty pool is a result here, not a warning. */
function withoutPoolEmpty(log: Log): Log {
  return {
    ...log,
    warn: (event, fields, cause) => {
      if (event !== "pool-empty") log.warn(event, fields, cause);
    },
  };
}
