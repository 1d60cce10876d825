/** A memory queue that can fail its next operations, before or after it carries them out. */
import { type Queue, QueueError, type QueueFailure } from "../../src/lib/ports.ts";
import type { MemoryQueue } from "./memory-queue.ts";

export interface QueueFault {
  readonly failure?: QueueFailure;
  /** Whether the operation fails before it is carried out, or after, as if its response were lost. */
  readonly when?: "before" | "after";
  /** Runs just before the operation. */
  readonly meanwhile?: () => void | Promise<void>;
}

export interface FaultyQueue extends MemoryQueue {
  /** Plans a fault for the next call of this operation; several faults apply to one call each. */
  strikeNext(operation: keyof Queue, fault: QueueFault): void;
  /** The operations so far, in order. */
  readonly calls: readonly (keyof Queue)[];
  texts(): readonly string[];
}

export function createFaultyQueue(queue: MemoryQueue): FaultyQueue {
  const planned: { operation: keyof Queue; fault: QueueFault }[] = [];
  const calls: (keyof Queue)[] = [];

  async function run<T>(operation: keyof Queue, carryOut: () => Promise<T>): Promise<T> {
    calls.push(operation);
    const at = planned.findIndex((plan) => plan.operation === operation);
    const fault = at < 0 ? undefined : planned.splice(at, 1)[0]?.fault;
    await fault?.meanwhile?.();
    const failure = fault?.failure && new QueueError(fault.failure, `injected into ${operation}`);
    if (failure && fault.when !== "after") throw failure;
    const result = await carryOut();
    if (failure) throw failure;
    return result;
  }

  return {
    put: async (text, options) => run("put", async () => queue.put(text, options)),
    receive: async (count, leaseSeconds) => run("receive", async () => queue.receive(count, leaseSeconds)),
    delete: async (message) => run("delete", async () => queue.delete(message)),
    setInvisible: async (message, seconds, text) =>
      run("setInvisible", async () => queue.setInvisible(message, seconds, text)),
    count: async () => run("count", async () => queue.count()),
    oldestAgeSeconds: async () => run("oldestAgeSeconds", async () => queue.oldestAgeSeconds()),
    clear: async () => run("clear", async () => queue.clear()),
    contents: () => queue.contents(),
    strikeNext: (operation, fault) => void planned.push({ operation, fault }),
    calls,
    texts: () => queue.contents().map(({ text }) => text),
  };
}
