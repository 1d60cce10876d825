/** Polls one Storage Queue for a function, as the real host does: lease, run, then delete, retry or poison queue. */
import { setTimeout as delay } from "node:timers/promises";
import type { Queue, QueueMessage } from "../../../src/lib/queue.ts";
import type { QueueSettings } from "./host-json.ts";
import type { LogLevel } from "./messages.ts";

export interface QueueListenerOptions {
  readonly queue: Queue;
  readonly queueName: string;
  readonly poisonQueue: Queue;
  readonly settings: QueueSettings;
  /** Runs the function. Throws if it failed. */
  readonly run: (message: QueueMessage) => Promise<unknown>;
  readonly log: (level: LogLevel, message: string) => void;
  /** Waits this long, or until the signal. Without it, by the clock. */
  readonly pause?: (milliseconds: number, stopped: AbortSignal) => Promise<unknown>;
}

/**
 * The real host also begins with this pause, and about doubles it, by chance (RandomizedExponentialBackoffStrategy in
 * github.com/Azure/azure-sdk-for-net).
 */
const minPollMilliseconds = 100;
const pauseByClock = async (milliseconds: number, signal: AbortSignal) =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined);

/**
 * Starts polling, even if storage is unreachable. Returns a function that stops it and resolves when the messages in
 * progress are done.
 */
export function startQueueListener(options: QueueListenerOptions): () => Promise<void> {
  const { queue, queueName, settings, log, pause = pauseByClock } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let isReachable = true;

  async function receive(): Promise<QueueMessage[]> {
    try {
      const messages = await queue.receive(settings.batchSize, settings.leaseSeconds);
      isReachable = true;
      return messages;
    } catch (error) {
      if (isReachable) log("warning", `The queue '${queueName}' cannot be read: ${String(error)}`);
      isReachable = false;
      return [];
    }
  }

  async function poll(): Promise<void> {
    const maxPauseMilliseconds = settings.maxPollingIntervalSeconds * 1000;
    let pauseMilliseconds = minPollMilliseconds;
    while (!stopping.signal.aborted) {
      if (running.size > settings.newBatchThreshold) {
        await Promise.race(running);
        continue;
      }
      const messages = await receive();
      for (const message of messages) {
        const work = processMessage(options, message).finally(() => running.delete(work));
        running.add(work);
      }
      if (messages.length > 0) {
        pauseMilliseconds = minPollMilliseconds;
        continue;
      }
      await pause(pauseMilliseconds, stopping.signal);
      pauseMilliseconds = Math.min(pauseMilliseconds * 2, maxPauseMilliseconds);
    }
  }

  const polling = poll();
  return async () => {
    stopping.abort();
    await polling;
    await Promise.all(running);
  };
}

/** Processes a message that was just received. Failures are logged; it never throws. */
async function processMessage(options: QueueListenerOptions, message: QueueMessage): Promise<void> {
  const { queue, queueName, poisonQueue, settings, log } = options;
  const { id, dequeueCount, text } = message;
  try {
    const hasFailed = await options.run(message).then(
      () => false,
      () => true,
    );
    if (hasFailed && dequeueCount < settings.maxDequeueCount)
      return await queue.setInvisible(message, Math.ceil(settings.visibilityTimeoutSeconds));
    if (hasFailed) {
      const reached = `Message has reached MaxDequeueCount of ${dequeueCount}`;
      log("warning", `${reached}. Moving message to queue '${queueName}-poison'.`);
      await poisonQueue.put(text);
    }
    await queue.delete(message);
  } catch (error) {
    // The lease was lost or storage is unreachable: the message becomes visible again, or another host has it.
    log("debug", `The message '${id}' could not be settled: ${String(error)}`);
  }
}
