/** The ports of storage over memory. Each call can fail, before or after it was carried out; the ledger sees messages. */
import { GatewayError } from "../../src/lib/errors.ts";
import { type CreateRecordStore, type Queue, QueueError, type queueNames } from "../../src/lib/ports.ts";
import type { MemoryQueue } from "../../tools/simulators/memory/queue.ts";
import type { PortCall, Ports } from "./faults.ts";
import type { Ledger } from "./ledger.ts";

export type QueueName = keyof typeof queueNames;

// As in src/lib/azure.
const timeoutSeconds = 3;

/** Returns a function that makes a call to storage. */
function callsOf(ports: Ports, prefix: string, failureOf: (operation: string) => Error) {
  return async <Result>(operation: string, effect: PortCall<Result>["effect"]): Promise<Result> =>
    ports.call({
      label: () => `${prefix} ${operation}`,
      target: "storage",
      timeoutSeconds,
      effect,
      failure: () => failureOf(operation),
    });
}

export function simulateQueue(name: QueueName, queue: MemoryQueue, ports: Ports, ledger: Ledger): Queue {
  const call = callsOf(
    ports,
    name,
    (operation) => new QueueError("unknown", `queue ${operation}: no response`),
  );
  return {
    put: async (text, options) =>
      call(`put ${text}`, async (task) => {
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
      call(`delete ${message.text}`, async (task) => {
        await queue.delete(message);
        ledger.onMessageDeleted(name, message.text, task);
      }),
    setInvisible: async (message, seconds, text) =>
      call(`set invisible ${message.text} ${seconds} s ${text ?? ""}`.trimEnd(), async (task) => {
        await queue.setInvisible(message, seconds, text);
        ledger.onPostponed(name, message.text, task);
      }),
    count: async () => call("count", async () => queue.count()),
    peek: async () => call("peek", async () => queue.peek()),
    clear: async () => call("clear", async () => queue.clear()),
  };
}

export function simulateRecords(store: CreateRecordStore, ports: Ports): CreateRecordStore {
  const unavailable = () => new GatewayError("storage-unavailable", { retryAfterSeconds: 5 });
  const call = callsOf(ports, "record", unavailable);
  return {
    read: async (id) => call(`read ${id.slice(0, 8)}`, async () => store.read(id)),
    write: async (id, record, replaced) =>
      call(`write ${id.slice(0, 8)} ${record.room}`, async () => store.write(id, record, replaced)),
  };
}
