/** Requests new rooms: one for each room handed out, or as many as are missing from a level. */

import * as z from "zod";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../ports.ts";

/**
 * `claimed` replaces a room that was handed out, and has no level. `bulk` is dropped if the pool holds `upTo` rooms,
 * `healing` is dropped even if the pool and the pending requests together reach that level.
 */
export type ProvisioningRequest =
  | { readonly reason: "claimed" }
  | { readonly reason: "healing" | "bulk"; readonly upTo: number };

const schema: z.ZodType<ProvisioningRequest> = z.discriminatedUnion("reason", [
  z.object({ reason: z.literal("claimed") }),
  z.object({ reason: z.enum(["healing", "bulk"]), upTo: z.int().min(0) }),
]);

/** Returns the message text of a request. */
export function encodeProvisioningRequest(request: ProvisioningRequest): string {
  return JSON.stringify(request);
}

/** Returns the request in a message that the host has parsed as JSON, or undefined if it is malformed. */
export function decodeProvisioningRequest(message: unknown): ProvisioningRequest | undefined {
  return schema.safeParse(message).data;
}

export interface Replenishment {
  /**
   * Requests a replacement for a room that is being handed out. Logs a failure instead of throwing it: the caller has
   * its room. `withdraw` takes the request back if the room is not handed out after all; a failure of it is logged, and
   * the pool is then one room above its level at most.
   */
  replace(log: Log): Promise<{ withdraw(): Promise<void> }>;
  /** Requests one room if the pool is below its maximum, counting pending requests. Logs a failure instead of throwing it. */
  heal(log: Log): Promise<void>;
  /**
   * Requests enough rooms to reach `level`, counting pooled rooms and pending requests. Returns the number requested.
   * Throws QueueError.
   */
  fillUpTo(level: number): Promise<number>;
}

export interface ReplenishmentOptions {
  readonly pool: Queue;
  readonly provisioning: Queue;
  readonly maxRooms: number;
}

const nothingToWithdraw = { withdraw: async () => undefined };

/** Creates the only writer of the provisioning queue. */
export function createReplenishment({ pool, provisioning, maxRooms }: ReplenishmentOptions): Replenishment {
  const send = async (request: ProvisioningRequest) => provisioning.put(encodeProvisioningRequest(request));

  async function missingFrom(level: number): Promise<number> {
    const [pooled, requested] = await Promise.all([pool.count(), provisioning.count()]);
    return Math.max(0, level - pooled - requested);
  }

  async function withdraw(request: QueueMessage, log: Log): Promise<void> {
    const outcome = await deleteConfirmed(provisioning, request);
    if (outcome !== "deleted") log.warn("replacement-not-withdrawn", { outcome });
  }

  return {
    async replace(log) {
      // An environment that is switched off has no pool to fill.
      if (maxRooms === 0) return nothingToWithdraw;
      try {
        const request = await send({ reason: "claimed" });
        return { withdraw: async () => withdraw(request, log) };
      } catch (error) {
        log.error("replacement-failed", {}, error);
        return nothingToWithdraw;
      }
    },

    async heal(log) {
      try {
        if ((await missingFrom(maxRooms)) > 0) await send({ reason: "healing", upTo: maxRooms });
      } catch (error) {
        log.error("healing-failed", {}, error);
      }
    },

    async fillUpTo(level) {
      const count = await missingFrom(level);
      const requests = Array.from({ length: count }, () => ({ reason: "bulk", upTo: level }) as const);
      await forEachParallel(requests, async (request) => void (await send(request)));
      return count;
    },
  };
}
