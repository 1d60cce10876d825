/** Processes one queue message: lease, run, then delete, retry or move to the poison queue. */
import type { DequeuedMessageItem, QueueClient } from "@azure/storage-queue";
import type { QueueSettings } from "../host-json.ts";
import type { LogLevel } from "../worker/messages.ts";
import { CutOffError } from "../worker/worker-error.ts";

export interface QueueListenerOptions {
  readonly queue: QueueClient;
  readonly poisonQueue: QueueClient;
  readonly settings: QueueSettings;
  readonly lockSeconds: number;
  /** Runs the function with the decoded text. Throws if it failed. */
  run(message: DequeuedMessageItem, text: string): Promise<void>;
  readonly log: (level: LogLevel, message: string) => void;
}

const callTimeoutMilliseconds = 30_000;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Processes a message that was just received. Failures are logged; it never throws. */
export async function processMessage(
  options: QueueListenerOptions,
  message: DequeuedMessageItem,
): Promise<void> {
  const { queue, settings, log } = options;
  try {
    if (message.dequeueCount > settings.maxDequeueCount) {
      await moveToPoisonQueue(options, message, message.popReceipt);
      return;
    }
    const { outcome, popReceipt } = await runUnderLease(options, message);
    // As after a crash of the real host, the message stays invisible until its lease ends.
    if (outcome === "cut off") return;
    if (outcome === "succeeded") {
      await queue.deleteMessage(message.messageId, popReceipt, withDeadline());
    } else if (message.dequeueCount >= settings.maxDequeueCount) {
      await moveToPoisonQueue(options, message, popReceipt);
    } else {
      const visibleInSeconds = Math.ceil(settings.visibilityTimeoutSeconds);
      await queue.updateMessage(message.messageId, popReceipt, undefined, visibleInSeconds, withDeadline());
    }
  } catch (error) {
    // The lease was lost or storage is unreachable: the message becomes visible again, or another host has it.
    log("debug", `The message '${message.messageId}' could not be settled: ${String(error)}`);
  }
}

async function runUnderLease(
  options: QueueListenerOptions,
  message: DequeuedMessageItem,
): Promise<{ outcome: "succeeded" | "failed" | "cut off"; popReceipt: string }> {
  const lease = renewLease(options, message);
  let outcome: "succeeded" | "failed" | "cut off" = "succeeded";
  try {
    await options.run(message, decodeText(message.messageText, options.settings.messageEncoding));
  } catch (error) {
    outcome = error instanceof CutOffError ? "cut off" : "failed";
  }
  return { outcome, popReceipt: await lease.end() };
}

// Each renewal returns a new pop receipt, and only the latest one can settle the message.
function renewLease(
  { queue, lockSeconds, log }: QueueListenerOptions,
  message: DequeuedMessageItem,
): { end(): Promise<string> } {
  let popReceipt = message.popReceipt;
  let renewal = Promise.resolve();
  const renew = async (): Promise<void> => {
    try {
      const renewed = await queue.updateMessage(
        message.messageId,
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
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew);
    },
    (lockSeconds * 1000) / 2,
  );
  return {
    async end() {
      clearInterval(timer);
      await renewal;
      return popReceipt;
    },
  };
}

function decodeText(text: string, encoding: "base64" | "none"): string {
  if (encoding === "none") return text;
  if (!base64.test(text)) throw new Error("The message is not Base64 text.");
  return utf8.decode(Buffer.from(text, "base64"));
}

async function moveToPoisonQueue(
  { queue, poisonQueue, log }: QueueListenerOptions,
  message: DequeuedMessageItem,
  popReceipt: string,
): Promise<void> {
  log(
    "warning",
    `Message has reached MaxDequeueCount of ${message.dequeueCount}. Moving message to queue '${poisonQueue.name}'.`,
  );
  await poisonQueue.createIfNotExists(withDeadline());
  await poisonQueue.sendMessage(message.messageText, withDeadline());
  await queue.deleteMessage(message.messageId, popReceipt, withDeadline());
}

// The storage SDK has no timeout of its own.
function withDeadline(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(callTimeoutMilliseconds) };
}
