/** After the faults: waits until the gateway has come to rest. */
import { poll } from "../local/process/poll.ts";
import type { GatewayCalls } from "./gateway-calls.ts";
import type { QueueContents } from "./queue-contents.ts";

const settleSeconds = 90;
const pauseMilliseconds = 300;

/** Fires metrics, which refill the pool, until nothing is requested any more and it holds `size` names, or time runs out. */
export async function settlePool(queues: QueueContents, calls: GatewayCalls, size: number): Promise<void> {
  let restfulLooks = 0;
  const look = async (): Promise<true | undefined> => {
    const [pooled, requested] = [await queues.count("pool"), await queues.count("provisioning")];
    restfulLooks = requested === 0 && pooled >= size ? restfulLooks + 1 : 0;
    if (requested === 0 && pooled < size) await calls.fire("collectMetrics");
    return restfulLooks >= 3 ? true : undefined;
  };
  const options = { description: "a full pool at rest", timeoutSeconds: settleSeconds, pauseMilliseconds };
  await poll(look, options).catch(() => undefined);
}

/** Fires the collector until no room waits for its deletion, or time runs out. */
export async function settleDeletion(queues: QueueContents, calls: GatewayCalls): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    if ((await queues.count("deletion")) === 0) return true;
    await calls.fire("collectGarbage");
    return undefined;
  };
  const options = { timeoutSeconds: settleSeconds, pauseMilliseconds: 700 };
  await poll(look, { description: "an empty deletion queue", ...options }).catch(() => undefined);
}

/** Moves the storage's clock, so that leases and postponements are over. */
export async function moveStorageClock(storageControlUrl: string, advanceSeconds: number): Promise<void> {
  const body = JSON.stringify({ advanceSeconds });
  const response = await fetch(`${storageControlUrl}/control/clock`, { method: "POST", body });
  if (!response.ok) throw new Error(`the storage's clock did not move: ${response.status}`);
}
