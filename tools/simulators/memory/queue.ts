/** The queue port in memory, which passes the same contract suite as Azure Storage Queues, with faults on request. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../src/lib/ports.ts";
import { type Queue, QueueError, type QueueFailure, type QueueMessage } from "../../../src/lib/queue.ts";

interface StoredMessage {
  readonly id: string;
  text: string;
  readonly insertedAt: number;
  popReceipt: string;
  visibleAt: number;
  dequeueCount: number;
}

export interface QueueFault {
  readonly failure?: QueueFailure;
  /** Whether the operation fails before it is carried out, or after, as if its response were lost. */
  readonly when?: "before" | "after";
  /** Runs just before the operation. */
  readonly meanwhile?: () => void | Promise<void>;
}

export interface MemoryQueue extends Queue {
  /** Every message with its state, including invisible ones. */
  contents(): readonly Readonly<StoredMessage>[];
  texts(): readonly string[];
  /** Plans a fault for the next call of this operation; several faults apply to one call each. */
  strikeNext(operation: keyof Queue, fault: QueueFault): void;
  /** The operations so far, in order. */
  readonly calls: readonly (keyof Queue)[];
}

const maxTextBytes = 64 * 1024;
const maxPerReceive = 32;

export function createMemoryQueue(clock: Pick<Clock, "now">, newId: () => string = randomUUID): MemoryQueue {
  let messages: StoredMessage[] = [];

  function owned({ id, popReceipt }: QueueMessage): StoredMessage {
    const message = messages.find((stored) => stored.id === id);
    if (!message) throw new QueueError("message-gone", "no such message");
    if (message.popReceipt !== popReceipt) throw new QueueError("receipt-stale", "the receipt is stale");
    return message;
  }

  const ageSeconds = (message: StoredMessage) => (clock.now() - message.insertedAt) / 1000;
  const visible = () => messages.filter((message) => message.visibleAt <= clock.now());

  const planned: { operation: keyof Queue; fault: QueueFault }[] = [];
  const calls: (keyof Queue)[] = [];

  /** Returns the operation with the faults that are planned for it. */
  function faulty<Input extends unknown[], Result>(
    operation: keyof Queue,
    carryOut: (...input: Input) => Promise<Result>,
  ) {
    return async (...input: Input): Promise<Result> => {
      calls.push(operation);
      const at = planned.findIndex((plan) => plan.operation === operation);
      if (at < 0) return carryOut(...input);
      const { failure, when, meanwhile } = planned.splice(at, 1)[0]?.fault ?? {};
      await meanwhile?.();
      const error = failure && new QueueError(failure, `injected into ${operation}`);
      if (error && when !== "after") throw error;
      const result = await carryOut(...input);
      if (error) throw error;
      return result;
    };
  }

  return {
    put: faulty("put", async (text: string, { invisibleSeconds = 0 }: { invisibleSeconds?: number } = {}) => {
      if (Buffer.byteLength(text) > maxTextBytes) throw new QueueError("refused", "the text is too long");
      const insertedAt = clock.now();
      const visibleAt = insertedAt + invisibleSeconds * 1000;
      const message = { id: newId(), text, insertedAt, popReceipt: newId(), visibleAt, dequeueCount: 0 };
      messages.push(message);
      const { id, popReceipt } = message;
      return { id, text, popReceipt, dequeueCount: 0, insertedAt, ageSeconds: 0 };
    }),
    receive: faulty("receive", async (count: number, leaseSeconds: number) => {
      if (count < 1 || count > maxPerReceive)
        throw new QueueError("refused", `cannot receive ${count} messages at once`);
      return visible()
        .slice(0, count)
        .map((message) => {
          message.visibleAt = clock.now() + leaseSeconds * 1000;
          message.popReceipt = newId();
          message.dequeueCount += 1;
          const { id, text, popReceipt, dequeueCount, insertedAt } = message;
          return { id, text, popReceipt, dequeueCount, insertedAt, ageSeconds: ageSeconds(message) };
        });
    }),
    delete: faulty("delete", async (message: QueueMessage) => {
      const stored = owned(message);
      messages = messages.filter((other) => other !== stored);
    }),
    setInvisible: faulty("setInvisible", async (message: QueueMessage, seconds: number, text?: string) => {
      const stored = owned(message);
      if (text !== undefined) stored.text = text;
      stored.visibleAt = clock.now() + seconds * 1000;
      stored.popReceipt = newId();
    }),
    count: faulty("count", async () => messages.length),
    peek: faulty("peek", async () =>
      visible()
        .slice(0, 32)
        .map((message) => ({ text: message.text, ageSeconds: ageSeconds(message) })),
    ),
    clear: faulty("clear", async () => {
      messages = [];
    }),
    contents: () => messages.map((message) => ({ ...message })),
    texts: () => messages.map(({ text }) => text),
    strikeNext: (operation, fault) => void planned.push({ operation, fault }),
    calls,
  };
}
