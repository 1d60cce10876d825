/** Asks for new rooms: one for each room handed out, or as many as a level lacks. */
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { Queue } from "../queues/queue.ts";

/**
 * What stands on the provisioning queue. A request without a level is unconditional; `bulk` is dropped when the pool
 * holds `upTo` rooms, `healing` already when pool and waiting requests together make that many.
 */
export type ProvisioningRequest =
  | { readonly reason: "claimed" }
  | { readonly reason: "healing" | "bulk"; readonly upTo: number };

export interface Replenishment {
  /** One room in the place of one handed out. Never throws: the caller has its room. */
  replace(log: Log): Promise<void>;
  /** One room when the pool lacks any. Never throws. */
  heal(log: Log): Promise<void>;
  /** As many rooms as pool and waiting requests lack of the level; returns how many were asked for. Throws QueueError. */
  fillUpTo(level: number): Promise<number>;
}

export interface ReplenishmentOptions {
  readonly pool: Queue;
  readonly provisioning: Queue;
  readonly maxRooms: number;
}

export function createReplenishment({ pool, provisioning, maxRooms }: ReplenishmentOptions): Replenishment {
  const request = async (wanted: ProvisioningRequest): Promise<void> => {
    await provisioning.put(JSON.stringify(wanted));
  };

  async function lacking(level: number): Promise<number> {
    const [pooled, requested] = await Promise.all([pool.count(), provisioning.count()]);
    return Math.max(0, level - pooled - requested);
  }

  return {
    async replace(log) {
      try {
        await request({ reason: "claimed" });
      } catch (error) {
        log.error("replacement-failed", {}, error);
      }
    },

    async heal(log) {
      try {
        if ((await lacking(maxRooms)) > 0) await request({ reason: "healing", upTo: maxRooms });
      } catch (error) {
        log.error("healing-failed", {}, error);
      }
    },

    async fillUpTo(level) {
      const count = await lacking(level);
      const requests = Array.from({ length: count }, () => ({ reason: "bulk", upTo: level }) as const);
      await forEachParallel(requests, request);
      return count;
    },
  };
}
