/** After the faults: waits until the gateway has come to rest, and makes waiting times of hours pass at once. */
import { poll } from "../local/poll.ts";
import type { GatewayCalls } from "./gateway-calls.ts";
import type { QueueContents } from "./queue-contents.ts";

const settleSeconds = 90;
const pauseMilliseconds = 300;

/**
 * Fires metrics, which refill the pool, until nothing is requested any more and the pool holds `size` names; gives
 * their number, what is reached when time runs out otherwise.
 */
export async function settlePool(queues: QueueContents, calls: GatewayCalls, size: number): Promise<number> {
  let restfulLooks = 0;
  const look = async (): Promise<true | undefined> => {
    const [pooled, requested] = [await queues.count("pool"), await queues.count("provisioning")];
    restfulLooks = requested === 0 && pooled >= size ? restfulLooks + 1 : 0;
    if (requested === 0 && pooled < size) await calls.fire("collectMetrics");
    return restfulLooks >= 3 ? true : undefined;
  };
  const options = { description: "a full pool at rest", timeoutSeconds: settleSeconds, pauseMilliseconds };
  await poll(look, options).catch(() => undefined);
  return queues.count("pool");
}

/** Fires the collector until no room waits for its deletion, or time runs out; what it postpones is due soon. */
export async function settleDeletion(
  queues: QueueContents,
  calls: GatewayCalls,
  storageControlUrl: string,
): Promise<void> {
  let looks = 0;
  const look = async (): Promise<true | undefined> => {
    if ((await queues.count("deletion")) === 0) return true;
    looks += 1;
    if (looks % 6 === 0) await endAllLeases(storageControlUrl);
    await calls.fire("collectGarbage");
    return undefined;
  };
  const options = {
    description: "an empty deletion queue",
    timeoutSeconds: settleSeconds,
    pauseMilliseconds: 700,
  };
  await poll(look, options).catch(() => undefined);
}

/** Moves the storage's clock past every lease, and past the collector's longest postponement. */
export async function endAllLeases(storageControlUrl: string): Promise<void> {
  const body = JSON.stringify({ advanceSeconds: 7 * 3600 });
  const response = await fetch(`${storageControlUrl}/control/clock`, { method: "POST", body });
  if (!response.ok) throw new Error(`the storage's clock did not move: ${response.status}`);
}
