/** Shows on the terminal how the pool fills. */

import { poll } from "../process/poll.ts";
import type { Connection } from "../stack/connection.ts";
import { maxPeeked, openQueueContents } from "../stack/queue-contents.ts";
import { createProgress, type Output } from "./progress.ts";

export interface PoolProgressOptions {
  readonly output: Output;
  readonly indent?: string;
  readonly stopping?: AbortSignal;
  /** Called when the level has not changed for 5 s. */
  readonly onStall?: () => Promise<void>;
}

const stallMilliseconds = 5000;

/** Resolves when `rooms` rooms (`maxPeeked` at most) can be claimed. Throws after 60 s. */
export async function showPoolFill(
  { storageConnectionString }: Connection,
  rooms: number,
  { output, indent, stopping, onStall }: PoolProgressOptions,
): Promise<void> {
  const queues = openQueueContents(storageConnectionString);
  const wanted = Math.min(rooms, maxPeeked);
  const progress = createProgress(output, "rooms ready in the pool", wanted, indent);
  const options = { description: `${wanted} rooms in the pool`, timeoutSeconds: 60, stopping };
  let [level, changedAt] = [0, Date.now()];
  try {
    await poll(async () => {
      const ready = (await queues.peek("pool")).length;
      progress.show(Math.min(ready, wanted));
      const isStalled = ready === level && Date.now() - changedAt >= stallMilliseconds;
      if (isStalled) await onStall?.();
      if (isStalled || ready !== level) [level, changedAt] = [ready, Date.now()];
      return ready >= wanted ? true : undefined;
    }, options);
  } finally {
    progress.end();
  }
}
