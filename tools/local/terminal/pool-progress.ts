/** Fills the pool, and shows on the terminal how it fills. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import { fetchAccessToken } from "../../simulators/consumer.ts";
import { createProgress, type Output } from "../../terminal/progress.ts";
import { openLocalQueues } from "../stack/local-queues.ts";

export interface PoolProgressOptions {
  readonly output: Output;
  readonly stopping: AbortSignal;
  /** Returns what keeps the pool from filling, if it is known. The wait then ends. */
  readonly provisioningProblem: () => string | undefined;
}

// The number of messages that the queue service shows per call.
const maxPeeked = 32;
const lookMilliseconds = 200;
const pauseMilliseconds = 5000;
const maxMilliseconds = 60_000;

/**
 * Resolves when the pool is full (32 rooms at most), when a problem is known, or after 60 s. Returns how many rooms can
 * be claimed, how many were wanted, and the problem.
 */
export async function fillPool(
  { gatewayUrl, tokenUrl, storageConnectionString, maxLevel }: Connection,
  { output, stopping, provisioningProblem }: PoolProgressOptions,
) {
  const headers = { authorization: `Bearer ${await fetchAccessToken(tokenUrl)}` };
  const { pool } = openLocalQueues(storageConnectionString);
  const wanted = Math.min(maxLevel, maxPeeked);
  const progress = createProgress(output, "rooms ready in the pool", wanted);
  const until = Date.now() + maxMilliseconds;
  let requestAt = 0;
  let refusal: string | undefined;

  // Requests that wait count as rooms, so a repetition does no harm.
  async function requestRooms(): Promise<void> {
    requestAt = Date.now() + pauseMilliseconds;
    const call = fetch(`${gatewayUrl}/room/bulk/`, { method: "POST", headers });
    const response = await call.catch(() => undefined);
    refusal =
      response?.status === 202 ? undefined : `POST /room/bulk/ returns ${response?.status ?? "nothing"}`;
  }

  try {
    for (;;) {
      if (Date.now() >= requestAt) await requestRooms();
      const ready = (await pool.peek()).length;
      progress.show(Math.min(ready, wanted));
      const problem = provisioningProblem() ?? refusal;
      if (ready >= wanted || problem !== undefined || Date.now() > until) return { ready, wanted, problem };
      await delay(lookMilliseconds, undefined, { signal: stopping });
    }
  } finally {
    progress.end();
  }
}
