/** The ports of storage: each call can fail, before or after it was carried out; the ledger sees messages. */
import { GatewayError } from "../../src/lib/errors.ts";
import { QueueError, type queueNames } from "../../src/lib/ports.ts";
import type { PortCall as MemoryCall } from "../../tools/simulators/memory/gateway.ts";
import type { MemoryQueue } from "../../tools/simulators/memory/queue.ts";
import { type Ports, requireTask } from "./faults.ts";
import type { Ledger } from "./ledger.ts";

type QueueName = keyof typeof queueNames;

/** Lets calls of storage fail. Those of the platform fail in the network. */
export function failStorage(ports: Ports) {
  return async <Result>(call: MemoryCall, carryOut: () => Promise<Result>): Promise<Result> => {
    const { port, operation } = call;
    if (port === "platform") return carryOut();
    const label = [port, operation, ...("of" in call && call.of !== undefined ? [call.of] : [])].join(" ");
    return ports.call({
      label: () => label,
      target: "storage",
      // As in src/lib/azure.
      timeoutSeconds: port === "metrics" ? 10 : 3,
      effect: carryOut,
      failure: () => failureOf(port, label),
    });
  };
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
      await queue.delete(message);
      ledger.onMessageDeleted(name, message.text, requireTask());
    },
    async setInvisible(message, seconds, text) {
      await queue.setInvisible(message, seconds, text);
      ledger.onPostponed(name, message.text, requireTask());
    },
  };
}
