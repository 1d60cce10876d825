/** Requests new rooms: one for each room handed out, or as many as are missing from a level. */
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../queue.ts";
import type { ProvisioningRequest } from "./provisioning.ts";

/** Writes the provisioning queue. */
export type Replenishment = ReturnType<typeof createReplenishment>;

/** The queues that are counted and written, and the level of `MAX_VMR`. */
interface ReplenishmentOptions {
  readonly pool: Queue;
  readonly provisioning: Queue;
  readonly maxLevel: number;
}

const nothingToWithdraw = { withdraw: async () => undefined };

/** Creates the only writer of the provisioning queue. */
export function createReplenishment({ pool, provisioning, maxLevel }: ReplenishmentOptions) {
  const send = async (request: ProvisioningRequest) => provisioning.put(JSON.stringify(request));

  async function withdraw(request: QueueMessage, log: Log): Promise<void> {
    const outcome = await deleteConfirmed(provisioning, request);
    if (outcome !== "deleted") log.warn("replacement-not-withdrawn", { outcome });
  }

  return {
    /**
     * Requests a replacement for a room that is being handed out. Logs a failure instead of throwing it: the caller has
     * its room. `withdraw` takes the request back if the room is not handed out after all; a failure of it is logged,
     * and the pool is then one room above its level at most.
     */
    async requestReplacement(log: Log): Promise<{ withdraw: () => Promise<void> }> {
      // An environment that is switched off has no pool to fill.
      if (maxLevel === 0) return nothingToWithdraw;
      try {
        const request = await send({ reason: "claimed" });
        return { withdraw: async () => withdraw(request, log) };
      } catch (error) {
        log.error("replacement-failed", {}, error);
        return nothingToWithdraw;
      }
    },

    /**
     * Requests one room, because the pool is empty or lost a name that is nobody's, unless `maxLevel` rooms are
     * requested already. A superfluous request is dropped when it is served. Logs a failure instead of throwing it.
     */
    async topUpByOne(log: Log): Promise<void> {
      try {
        // A room that is being provisioned would count twice if the pool's depth counted too. Without POOL_MINIMUM, the
        // pool would then stay below its level.
        if ((await provisioning.count()) < maxLevel) await send({ reason: "bulk", upTo: maxLevel });
      } catch (error) {
        log.error("top-up-failed", {}, error);
      }
    },

    /**
     * Requests enough rooms to reach `level`, counting pooled rooms and pending requests. Returns the number requested.
     * Throws QueueError.
     */
    async topUpTo(level: number): Promise<number> {
      const [pooled, requested] = await Promise.all([pool.count(), provisioning.count()]);
      const count = Math.max(0, level - pooled - requested);
      const requests = Array.from({ length: count }, () => ({ reason: "bulk", upTo: level }) as const);
      await forEachParallel(requests, async (request) => void (await send(request)));
      return count;
    },
  };
}
