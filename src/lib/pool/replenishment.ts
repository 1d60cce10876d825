/** Requests new rooms: one for each room handed out, or as many as are missing from a level. */
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { Queue } from "../queues/queue.ts";
import { encodeProvisioningRequest, type ProvisioningRequest } from "./provisioning-request.ts";

export interface Replenishment {
  /** Requests a replacement for a room that was handed out. Logs a failure instead of throwing it: the caller has its room. */
  replace(log: Log): Promise<void>;
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

/** Creates the only writer of the provisioning queue. */
export function createReplenishment({ pool, provisioning, maxRooms }: ReplenishmentOptions): Replenishment {
  const send = async (request: ProvisioningRequest): Promise<void> => {
    await provisioning.put(encodeProvisioningRequest(request));
  };

  async function missingFrom(level: number): Promise<number> {
    const [pooled, requested] = await Promise.all([pool.count(), provisioning.count()]);
    return Math.max(0, level - pooled - requested);
  }

  return {
    async replace(log) {
      try {
        await send({ reason: "claimed" });
      } catch (error) {
        log.error("replacement-failed", {}, error);
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
      await forEachParallel(requests, send);
      return count;
    },
  };
}
