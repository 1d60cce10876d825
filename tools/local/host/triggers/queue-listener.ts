/** Polls one Storage Queue for a function, as the real host's queue listener does. */
import { setTimeout as delay } from "node:timers/promises";
import type { DequeuedMessageItem } from "@azure/storage-queue";
import { processMessage, type QueueListenerOptions } from "./queue-message.ts";

const minPollMilliseconds = 100;
const callTimeoutMilliseconds = 30_000;

/** Starts polling. Keeps polling if the queue does not exist yet or storage is unreachable. */
export function startQueueListener(options: QueueListenerOptions) {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const polling = poll(options, running, stopping.signal);
  return {
    /** Stops polling and resolves when the messages in progress are done. */
    async stop(): Promise<void> {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };
}

async function poll(
  options: QueueListenerOptions,
  running: Set<Promise<void>>,
  stopping: AbortSignal,
): Promise<void> {
  const maxPollMilliseconds = options.settings.maxPollingIntervalSeconds * 1000;
  let pollMilliseconds = minPollMilliseconds;
  let isReachable = true;
  while (!stopping.aborted) {
    if (running.size > options.settings.newBatchThreshold) {
      await Promise.race(running);
      continue;
    }
    try {
      const messages = await receive(options);
      for (const message of messages) {
        const work = processMessage(options, message).finally(() => running.delete(work));
        running.add(work);
      }
      isReachable = true;
      if (messages.length > 0) {
        pollMilliseconds = minPollMilliseconds;
        continue;
      }
    } catch (error) {
      if (isReachable) {
        options.log("warning", `The queue '${options.queue.name}' cannot be read: ${String(error)}`);
      }
      isReachable = false;
    }
    // Random, so several instances do not poll in step.
    const waitMilliseconds = Math.min(pollMilliseconds * (0.8 + 0.4 * Math.random()), maxPollMilliseconds);
    await delay(waitMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    pollMilliseconds = Math.min(pollMilliseconds * 2, maxPollMilliseconds);
  }
}

async function receive(options: QueueListenerOptions): Promise<DequeuedMessageItem[]> {
  const { queue, settings, lockSeconds } = options;
  try {
    const { receivedMessageItems } = await queue.receiveMessages({
      numberOfMessages: settings.batchSize,
      visibilityTimeout: lockSeconds,
      abortSignal: AbortSignal.timeout(callTimeoutMilliseconds),
    });
    return receivedMessageItems;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "QueueNotFound") return [];
    throw error;
  }
}
