/** Polls one Storage Queue for a function, as the real host does: lease, run, then delete, retry or poison queue. */
import { setTimeout as delay } from "node:timers/promises";
import { type DequeuedMessageItem, type QueueClient, RestError } from "@azure/storage-queue";
import { CutOffError } from "./app-process.ts";
import type { QueueSettings } from "./host-json.ts";
import type { LogLevel } from "./messages.ts";

export interface QueueListenerOptions {
  readonly queue: QueueClient;
  readonly poisonQueue: QueueClient;
  readonly settings: QueueSettings;
  readonly lockSeconds: number;
  /** Runs the function with the decoded text. Throws if it failed. */
  readonly run: (message: DequeuedMessageItem, text: string) => Promise<void>;
  readonly log: (level: LogLevel, message: string) => void;
}

const minPollMilliseconds = 100;
const callTimeoutMilliseconds = 30_000;

/**
 * Starts polling, even if the queue does not exist yet or storage is unreachable. Returns a function that stops it and
 * resolves when the messages in progress are done.
 */
export function startQueueListener(options: QueueListenerOptions): () => Promise<void> {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const polling = poll(options, running, stopping.signal);
  return async () => {
    stopping.abort();
    await polling;
    await Promise.all(running);
  };
}

async function poll(
  options: QueueListenerOptions,
  running: Set<Promise<void>>,
  stopping: AbortSignal,
): Promise<void> {
  const { queue, settings, log } = options;
  const maxPollMilliseconds = settings.maxPollingIntervalSeconds * 1000;
  let pollMilliseconds = minPollMilliseconds;
  let isReachable = true;
  while (!stopping.aborted) {
    if (running.size > settings.newBatchThreshold) {
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
      if (isReachable) log("warning", `The queue '${queue.name}' cannot be read: ${String(error)}`);
      isReachable = false;
    }
    // Random, so several instances do not poll in step.
    const waitMilliseconds = Math.min(pollMilliseconds * (0.8 + 0.4 * Math.random()), maxPollMilliseconds);
    await delay(waitMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    pollMilliseconds = Math.min(pollMilliseconds * 2, maxPollMilliseconds);
  }
}

async function receive({
  queue,
  settings,
  lockSeconds,
}: QueueListenerOptions): Promise<DequeuedMessageItem[]> {
  try {
    const options = { numberOfMessages: settings.batchSize, visibilityTimeout: lockSeconds };
    return (await queue.receiveMessages({ ...options, ...withDeadline() })).receivedMessageItems;
  } catch (error) {
    if (error instanceof RestError && error.code === "QueueNotFound") return [];
    throw error;
  }
}

/** Processes a message that was just received. Failures are logged; it never throws. */
async function processMessage(options: QueueListenerOptions, message: DequeuedMessageItem): Promise<void> {
  const { queue, settings, log } = options;
  const { messageId, dequeueCount } = message;
  const lease = keepLease(options, message);
  try {
    const outcome = await options.run(message, Buffer.from(message.messageText, "base64").toString()).then(
      () => "succeeded" as const,
      (error: unknown) => (error instanceof CutOffError ? "cut off" : "failed"),
    );
    const popReceipt = await lease.end();
    // As after a crash of the real host, the message stays invisible until its lease ends.
    if (outcome === "cut off") return;
    if (outcome === "failed" && dequeueCount < settings.maxDequeueCount) {
      const visibleInSeconds = Math.ceil(settings.visibilityTimeoutSeconds);
      await queue.updateMessage(messageId, popReceipt, undefined, visibleInSeconds, withDeadline());
      return;
    }
    if (outcome === "failed") await copyToPoisonQueue(options, message);
    await queue.deleteMessage(messageId, popReceipt, withDeadline());
  } catch (error) {
    // The lease was lost or storage is unreachable: the message becomes visible again, or another host has it.
    log("debug", `The message '${messageId}' could not be settled: ${String(error)}`);
  }
}

/** Renews the lease until its end. Each renewal returns a new pop receipt; only the latest one can settle the message. */
function keepLease({ queue, lockSeconds, log }: QueueListenerOptions, message: DequeuedMessageItem) {
  let { popReceipt } = message;
  let renewal = Promise.resolve();
  const renew = async (): Promise<void> => {
    try {
      const { messageId } = message;
      const renewed = await queue.updateMessage(
        messageId,
        popReceipt,
        undefined,
        lockSeconds,
        withDeadline(),
      );
      popReceipt = renewed.popReceipt ?? popReceipt;
    } catch (error) {
      log("warning", `The lease of the message '${message.messageId}' was not renewed: ${String(error)}`);
    }
  };
  const timer = setInterval(() => void (renewal = renewal.then(renew)), (lockSeconds * 1000) / 2);
  return {
    end: async (): Promise<string> => {
      clearInterval(timer);
      await renewal;
      return popReceipt;
    },
  };
}

async function copyToPoisonQueue(
  { poisonQueue, log }: QueueListenerOptions,
  { dequeueCount, messageText }: DequeuedMessageItem,
): Promise<void> {
  log(
    "warning",
    `Message has reached MaxDequeueCount of ${dequeueCount}. Moving message to queue '${poisonQueue.name}'.`,
  );
  await poisonQueue.createIfNotExists(withDeadline());
  await poisonQueue.sendMessage(messageText, withDeadline());
}

// The storage SDK has no timeout of its own.
function withDeadline(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(callTimeoutMilliseconds) };
}
