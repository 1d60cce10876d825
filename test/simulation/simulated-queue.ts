/** The queue port on top of a memory queue. Each call can fail and is recorded in the ledger. */
import { type Queue, QueueError } from "../../src/lib/ports.ts";
import type { MemoryQueue } from "../support/memory-queue.ts";
import type { PortCall, Ports } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import type { Task } from "./task.ts";

export type QueueName = "pool" | "deletion" | "provisioning" | "poison";

// As in src/lib/azure/storage-account.ts.
const timeoutSeconds = 3;

export function simulateQueue(name: QueueName, queue: MemoryQueue, ports: Ports, ledger: Ledger): Queue {
  const call = async <Result>(operation: string, effect: PortCall<Result>["effect"]): Promise<Result> =>
    ports.call({
      label: () => `${name} ${operation}`,
      target: "storage",
      timeoutSeconds,
      effect,
      failure: () => new QueueError("unknown", `queue ${operation}: no response`),
    });

  return {
    put: async (text, options) =>
      call(`put ${text}`, async (task: Task) => {
        ledger.onPut(name, text, task);
        return queue.put(text, options);
      }),
    receive: async (count, leaseSeconds) =>
      call(`receive ${count}`, async (task) => {
        const messages = await queue.receive(count, leaseSeconds);
        ledger.onReceive(name, messages, task);
        return messages;
      }),
    delete: async (message) =>
      call(`delete ${message.text}`, async () => {
        await queue.delete(message);
        ledger.onMessageDeleted(name, message.text);
      }),
    setInvisible: async (message, seconds, text) =>
      call(`set invisible ${message.text} ${seconds} s ${text ?? ""}`.trimEnd(), async () =>
        queue.setInvisible(message, seconds, text),
      ),
    count: async () => call("count", async () => queue.count()),
    oldestAgeSeconds: async () => call("peek", async () => queue.oldestAgeSeconds()),
    clear: async () => call("clear", async () => queue.clear()),
  };
}
