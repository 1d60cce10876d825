/** The queue port in memory: passes the same contract suite as Azure Storage Queues (Azurite). */
import { randomUUID } from "node:crypto";
import { type Clock, type Queue, QueueError, type QueueMessage } from "../../src/lib/ports.ts";

interface StoredMessage {
  readonly id: string;
  text: string;
  readonly insertedAt: number;
  popReceipt: string;
  visibleAt: number;
  dequeueCount: number;
}

export interface MemoryQueue extends Queue {
  /** Every message with its state, including invisible ones. */
  contents(): readonly Readonly<StoredMessage>[];
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

  return {
    async put(text, { invisibleSeconds = 0 } = {}) {
      if (Buffer.byteLength(text) > maxTextBytes) throw new QueueError("refused", "the text is too long");
      const insertedAt = clock.now();
      const visibleAt = insertedAt + invisibleSeconds * 1000;
      const message = { id: newId(), text, insertedAt, popReceipt: newId(), visibleAt, dequeueCount: 0 };
      messages.push(message);
      const { id, popReceipt } = message;
      return { id, text, popReceipt, dequeueCount: 0, insertedAt, ageSeconds: 0 };
    },
    async receive(count, leaseSeconds) {
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
    },
    async delete(message) {
      const stored = owned(message);
      messages = messages.filter((other) => other !== stored);
    },
    async setInvisible(message, seconds, text) {
      const stored = owned(message);
      if (text !== undefined) stored.text = text;
      stored.visibleAt = clock.now() + seconds * 1000;
      stored.popReceipt = newId();
    },
    count: async () => messages.length,
    async oldestAgeSeconds() {
      const ages = visible().slice(0, 32).map(ageSeconds);
      return ages.length === 0 ? undefined : Math.max(...ages);
    },
    async clear() {
      messages = [];
    },
    contents: () => messages.map((message) => ({ ...message })),
  };
}
