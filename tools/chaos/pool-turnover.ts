/** After the faults: waits until the pool is full and at rest, and claims every room in it. */
import { setTimeout as delay } from "node:timers/promises";
import { poll } from "../local/process/poll.ts";
import type { QueueContents } from "../local/stack/queue-contents.ts";
import type { GatewayCalls } from "./gateway-calls.ts";
import { claim, type Load } from "./load.ts";
import { tagBase } from "./log-watch.ts";

const restTimeoutSeconds = 90;
const receiveTimeoutSeconds = 60;
const maxAttemptsPerClaim = 30;

/** Runs the metrics timer, which refills the pool, until it is full and no room is requested, or time runs out. */
export async function untilPoolIsAtRest(
  queues: QueueContents,
  calls: GatewayCalls,
  size: number,
): Promise<void> {
  let readingsAtRest = 0;
  const isAtRest = async (): Promise<true | undefined> => {
    const [pooled, requested] = [await queues.depth("pool"), await queues.depth("provisioning")];
    readingsAtRest = requested === 0 && pooled >= size ? readingsAtRest + 1 : 0;
    if (requested === 0 && pooled < size) await calls.runTimer("collectMetrics");
    return readingsAtRest >= 3 ? true : undefined;
  };
  const options = { description: "a full pool", timeoutSeconds: restTimeoutSeconds, pauseMilliseconds: 300 };
  // The findings show what is missing.
  await poll(isAtRest, options).catch(() => undefined);
}

/** Claims more rooms than the pool holds and returns how many claims failed. Names without a room are discarded. */
export async function turnPoolOver(
  { calls, ledger }: Pick<Load, "calls" | "ledger">,
  claims: number,
): Promise<number> {
  let failed = 0;
  for (let number = 1; number <= claims; number++) {
    let isHandedOut = false;
    for (let attempt = 1; !isHandedOut && attempt <= maxAttemptsPerClaim; attempt++) {
      if (attempt > 1) await delay(500);
      const { result } = await claim({ calls, ledger }, `${tagBase}turnover-${number}-${attempt}`, 30);
      isHandedOut = result === "handed-out";
    }
    if (!isHandedOut) failed += 1;
  }
  return failed;
}

/** Receives all names in the pool, including those that are invisible for a few more seconds. */
export async function receivePool(queues: QueueContents): Promise<string[]> {
  const names: string[] = [];
  const isComplete = async (): Promise<true | undefined> => {
    names.push(...(await queues.receiveAll("pool")));
    return names.length >= (await queues.depth("pool")) ? true : undefined;
  };
  await poll(isComplete, { description: "all names in the pool", timeoutSeconds: receiveTimeoutSeconds });
  return names;
}
