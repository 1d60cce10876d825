/** Shows on the terminal how the pool fills. */

import type { Connection } from "../../simulators/connection.ts";
import { poll } from "../../simulators/process/poll.ts";
import { createProgress, type Output } from "../../terminal/progress.ts";
import { openLocalQueues } from "../stack/local-queues.ts";

export interface PoolProgressOptions {
  readonly output: Output;
  readonly stopping: AbortSignal;
  /** Called at first, and again every 5 s: requests that wait count as rooms, so it does no harm. */
  readonly requestRooms: () => Promise<void>;
  /** Returns what keeps the pool from filling, if it is known. The wait then ends. */
  readonly problem: () => string | undefined;
}

// The number of messages that the queue service shows per call.
const maxPeeked = 32;
const pauseMilliseconds = 5000;
const maxMilliseconds = 60_000;

/**
 * Resolves when the pool is full (32 rooms at most), when a problem is known, or after 60 s. Returns how many can be
 * claimed, and how many were wanted.
 */
export async function fillPool(
  { storageConnectionString, maxRooms }: Connection,
  { output, stopping, requestRooms, problem }: PoolProgressOptions,
): Promise<{ readonly ready: number; readonly wanted: number }> {
  const { pool } = openLocalQueues(storageConnectionString);
  const wanted = Math.min(maxRooms, maxPeeked);
  const progress = createProgress(output, "rooms ready in the pool", wanted);
  const until = Date.now() + maxMilliseconds;
  let requestAt = 0;
  const look = async () => {
    if (Date.now() >= requestAt) {
      await requestRooms();
      requestAt = Date.now() + pauseMilliseconds;
    }
    const ready = (await pool.peek()).length;
    progress.show(Math.min(ready, wanted));
    const isOver = ready >= wanted || problem() !== undefined || Date.now() > until;
    return isOver ? { ready, wanted } : undefined;
  };
  const timeoutSeconds = Number.POSITIVE_INFINITY;
  return poll(look, { description: "rooms in the pool", timeoutSeconds, stopping }).finally(() =>
    progress.end(),
  );
}
