/** Shows on the terminal how the pool fills. */

import type { Connection } from "../../simulators/connection.ts";
import { poll } from "../../simulators/process/poll.ts";
import { createProgress, type Output } from "../../terminal/progress.ts";
import { openLocalQueues } from "../stack/local-queues.ts";

export interface PoolProgressOptions {
  readonly output: Output;
  readonly stopping: AbortSignal;
  /** Called when the level has not changed for 5 s. */
  readonly onStall: () => Promise<void>;
  /** Returns what keeps the pool from filling, if it is known. The wait then ends. */
  readonly problem: () => string | undefined;
}

// The number of messages that the queue service shows per call.
const maxPeeked = 32;
const stallMilliseconds = 5000;
const maxMilliseconds = 60_000;

/**
 * Resolves when the pool is full (32 rooms at most, as many as the queue service shows), when a problem is known, or after 60 s. Returns how
 * many can be claimed, and how many were wanted.
 */
export async function showPoolFill(
  { storageConnectionString, maxRooms }: Connection,
  { output, stopping, onStall, problem }: PoolProgressOptions,
): Promise<{ readonly ready: number; readonly wanted: number }> {
  const queues = openLocalQueues(storageConnectionString);
  const wanted = Math.min(maxRooms, maxPeeked);
  const progress = createProgress(output, "rooms ready in the pool", wanted);
  const until = Date.now() + maxMilliseconds;
  let [level, changedAt] = [0, Date.now()];
  try {
    return await poll(
      async () => {
        const ready = (await queues.pool.peek()).length;
        progress.show(Math.min(ready, wanted));
        const isStalled = ready === level && Date.now() - changedAt >= stallMilliseconds;
        if (isStalled) await onStall();
        if (isStalled || ready !== level) [level, changedAt] = [ready, Date.now()];
        const isOver = ready >= wanted || problem() !== undefined || Date.now() > until;
        return isOver ? { ready, wanted } : undefined;
      },
      { description: "rooms in the pool", timeoutSeconds: Number.POSITIVE_INFINITY, stopping },
    );
  } finally {
    progress.end();
  }
}
