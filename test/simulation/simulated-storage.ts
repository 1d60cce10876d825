/** The ports of storage: each call can fail, before or after it was carried out; the ledger sees messages. */
import { GatewayError } from "../../src/lib/errors.ts";
import { type Queue, QueueError, type queueNames } from "../../src/lib/queue.ts";
import type { PortCall as MemoryCall } from "../../tools/simulators/memory/gateway.ts";
import type { MemoryQueue } from "../../tools/simulators/memory/queue.ts";
import { queueAttempts, recordAttempts } from "../support/storage-attempts.ts";
import { type Ports, requireTask } from "./faults.ts";
import type { Ledger } from "./ledger.ts";

type QueueName = keyof typeof queueNames;

/** Lets calls of storage fail. Those of the platform fail in the network. */
export function failStorage(ports: Ports, ledger: Ledger) {
  return async <Result>(call: MemoryCall, carryOut: () => Promise<Result>): Promise<Result> => {
    const { port, operation } = call;
    if (port === "platform") return carryOut();
    const of = "of" in call ? call.of : undefined;
    const label = [port, operation, ...(of === undefined ? [] : [of])].join(" ");
    for (let attempt = 1; ; attempt++) {
      let isRepeated = false;
      try {
        return await ports.call({
          label: () => label,
          target: "storage",
          // As in src/lib/azure.
          timeoutSeconds: port === "metrics" ? 10 : 3,
          effect: carryOut,
          failure(_fault, isTimeout, task) {
            // One timeout covers all attempts.
            isRepeated = !isTimeout && attempt < attemptsOf(call);
            if (of !== undefined) ledger.onUnanswered(port, operation, of, task);
            return failureOf(port, label);
          },
        });
      } catch (error) {
        if (!isRepeated) throw error;
      }
    }
  };
}

/** Storage's library repeats a call without a response, although it may have taken effect. */
function attemptsOf({ port, operation }: MemoryCall): number {
  if (port === "records") return recordAttempts;
  return operation in queueAttempts ? queueAttempts[operation as keyof Queue] : 1;
}

function failureOf(port: MemoryCall["port"], label: string): Error {
  if (port === "metrics") return new Error("no response from the log workspace");
  if (port === "records") return new GatewayError("storage-unavailable", { retryAfterSeconds: 5 });
  return new QueueError("unknown", `${label}: no response`);
}

/** Tells the ledger what happens to the messages of a queue. */
export function observeQueue(name: QueueName, queue: MemoryQueue, ledger: Ledger): MemoryQueue {
  return {
    ...queue,
    async put(text, options) {
      ledger.onPut(name, text, requireTask());
      return queue.put(text, options);
    },
    async receive(count, leaseSeconds) {
      const messages = await queue.receive(count, leaseSeconds);
      ledger.onReceive(name, messages, requireTask());
      return messages;
    },
    async delete(message) {
      const { text } = message;
      await queue.delete(message).catch((error: unknown) => {
        if (error instanceof QueueError && error.failure === "message-gone")
          ledger.onMessageGone(name, text, requireTask());
        throw error;
      });
      ledger.onMessageDeleted(name, text, requireTask());
    },
    async clear() {
      const texts = queue.texts();
      await queue.clear();
      ledger.onCleared(name, texts, requireTask());
    },
    async setInvisible(message, seconds, text) {
      await queue.setInvisible(message, seconds, text);
      ledger.onPostponed(name, message.text, requireTask());
    },
  };
}
