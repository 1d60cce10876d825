/** The queue keeps one contract in memory and in Azure Storage (Azurite), where its messages do not expire either. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { QueueServiceClient } from "@azure/storage-queue";
import { describe, expect, test } from "vitest";
import { createCredential } from "../../src/lib/azure/credential.ts";
import { openStorageAccount } from "../../src/lib/azure/storage-queue.ts";
import type { Queue, QueueMessage } from "../../src/lib/ports.ts";
import { startAzurite } from "../../tools/simulators/azurite.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryQueue } from "../../tools/simulators/memory/queue.ts";
import { pauseTolerantSeconds } from "../support/timeouts.ts";
import { useStarted } from "../support/use-started.ts";

const azurite = useStarted(startAzurite);

function openStorage(name: string, encoding: "text" | "base64"): Queue {
  const storage = { connectionString: azurite.connectionString };
  const credential = createCredential(storage);
  return openStorageAccount({ storage, credential, timeoutSeconds: pauseTolerantSeconds })(name, encoding);
}

/** A new, empty queue. `pass` lets its time pass. */
interface OpenedQueue {
  readonly queue: Queue;
  readonly pass: (seconds: number) => Promise<void>;
}

function openMemory(): OpenedQueue {
  const clock = createManualClock();
  return { queue: createMemoryQueue(clock), pass: async (seconds) => clock.advance(seconds) };
}

// Azurite uses the system clock, so the test has to wait.
const openAzurite = (encoding: "text" | "base64") => (): OpenedQueue => ({
  queue: openStorage(`queue-${randomUUID()}`, encoding),
  pass: async (seconds) => wait(seconds * 1000),
});

const receiveOne = async (queue: Queue, leaseSeconds = 60): Promise<QueueMessage> => {
  const [message] = await queue.receive(1, leaseSeconds);
  if (!message) throw new Error("no message is visible");
  return message;
};

describe.concurrent.each([
  ["memory", openMemory],
  ["storage, as text", openAzurite("text")],
  ["storage, in Base64", openAzurite("base64")],
])("the queue in %s", (_, open) => {
  test("receive returns a message with its unchanged text, its id and a dequeue count of 1", async () => {
    const { queue } = open();
    const text = `  <room & 'name' "x">\nZürich 会議 🏠 ${"x".repeat(250)}  `;
    const put = await queue.put(text);

    expect(put).toMatchObject({ text, dequeueCount: 0 });
    expect(await queue.receive(1, 60)).toMatchObject([{ id: put.id, text, dequeueCount: 1 }]);
  });

  test("A queue that does not exist yet is empty, can be cleared and accepts messages", async () => {
    const { queue } = open();
    expect(await queue.receive(1, 60)).toEqual([]);
    expect(await queue.count()).toBe(0);
    expect(await queue.peek()).toEqual([]);
    await queue.clear();
    await queue.put("room-a");
    expect(await queue.count()).toBe(1);
  });

  test("A leased message is invisible until its lease ends, then returns with a higher dequeue count", async () => {
    const { queue, pass } = open();
    await queue.put("room-a");
    const first = await receiveOne(queue, 6);
    expect(await queue.receive(1, 60)).toEqual([]);

    await pass(6.1);
    const second = await receiveOne(queue, 60);
    expect(second).toMatchObject({ id: first.id, dequeueCount: 2 });
    expect(second.popReceipt).not.toBe(first.popReceipt);
  });

  test("A message that was put invisible becomes visible after the given time", async () => {
    const { queue, pass } = open();
    await queue.put("room-a", { invisibleSeconds: 6 });
    expect(await queue.receive(1, 60)).toEqual([]);
    expect(await queue.count()).toBe(1);

    await pass(6.1);
    expect(await receiveOne(queue)).toMatchObject({ text: "room-a" });
  });

  test("setInvisible and delete accept the receipt of put", async () => {
    const { queue } = open();
    const put = await queue.put("room-a", { invisibleSeconds: 600 });
    await queue.setInvisible(put, 0);
    expect(await receiveOne(queue)).toMatchObject({ id: put.id, text: "room-a", dequeueCount: 1 });
    await queue.delete(await queue.put("room-b", { invisibleSeconds: 600 }));
    expect(await queue.count()).toBe(1);
  });

  test("setInvisible replaces the text of a message if one is given, and keeps its id and count", async () => {
    const { queue } = open();
    const { id } = await queue.put("room-a");
    const text = '{"room":"Zo\u00eb & <b>"}';
    await queue.setInvisible(await receiveOne(queue), 0, text);
    expect(await receiveOne(queue)).toMatchObject({ id, text, dequeueCount: 2 });
  });

  test("setInvisible extends the lease of a message", async () => {
    const { queue, pass } = open();
    await queue.put("room-a");
    await queue.setInvisible(await receiveOne(queue, 1), 600);
    await pass(1.1);
    expect(await queue.receive(1, 60)).toEqual([]);
  });

  test("receive returns up to the requested number of messages, each once", async () => {
    const { queue } = open();
    for (let index = 0; index < 40; index++) await queue.put(`room-${index}`);

    const [first, second] = [await queue.receive(32, 60), await queue.receive(32, 60)];
    expect([first.length, second.length]).toEqual([32, 8]);
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(40);
  });

  test.each([0, 33])("receive rejects a count of %i, because the range is 1 to 32", async (count) => {
    const { queue } = open();
    await queue.put("room-a");
    await expect(queue.receive(count, 60)).rejects.toMatchObject({ failure: "refused" });
  });

  test("Only one of two concurrent receives returns a message", async () => {
    const { queue } = open();
    await queue.put("room-a");
    const both = await Promise.all([queue.receive(1, 60), queue.receive(1, 60)]);
    expect(both.flat()).toHaveLength(1);
  });

  test("delete and setInvisible fail with message-gone for a deleted message", async () => {
    const { queue } = open();
    await queue.put("room-a");
    const message = await receiveOne(queue);
    await queue.delete(message);
    await expect(queue.delete(message)).rejects.toMatchObject({ failure: "message-gone" });
    await expect(queue.setInvisible(message, 0)).rejects.toMatchObject({ failure: "message-gone" });
  });

  test("delete and setInvisible fail with receipt-stale for the receipt of an earlier receive", async () => {
    const { queue, pass } = open();
    await queue.put("room-a");
    const early = await receiveOne(queue, 1);
    await pass(1.1);
    await receiveOne(queue, 60);

    await expect(queue.delete(early)).rejects.toMatchObject({ failure: "receipt-stale" });
    await expect(queue.setInvisible(early, 0)).rejects.toMatchObject({ failure: "receipt-stale" });
    expect(await queue.count()).toBe(1);
  });

  test("delete fails with receipt-stale for a receipt that setInvisible has used", async () => {
    const { queue } = open();
    await queue.put("room-a");
    const message = await receiveOne(queue);
    await queue.setInvisible(message, 600);
    await expect(queue.delete(message)).rejects.toMatchObject({ failure: "receipt-stale" });
  });

  test("The age of a message counts from its put, even after a receive", async () => {
    const { queue, pass } = open();
    await queue.put("room-a");
    await queue.setInvisible(await receiveOne(queue), 0);
    await pass(3);

    const { ageSeconds } = await receiveOne(queue);
    expect(ageSeconds).toBeGreaterThanOrEqual(2);
    expect(ageSeconds).toBeLessThan(20);
  });

  test("peek returns visible messages only, with their age, and leaves them visible", async () => {
    const { queue, pass } = open();
    await queue.put("room-a");
    await pass(3);
    await queue.put("room-b");
    const peeked = await queue.peek();
    expect(peeked.map(({ text }) => text)).toEqual(["room-a", "room-b"]);
    expect(peeked[0]?.ageSeconds).toBeGreaterThanOrEqual(2);

    expect(await queue.receive(2, 60)).toHaveLength(2);
    expect(await queue.peek()).toEqual([]);
  });

  test("count and clear include leased and invisible messages, whose receipts then fail with message-gone", async () => {
    const { queue } = open();
    await queue.put("room-a");
    const leased = await receiveOne(queue);
    await queue.put("room-b", { invisibleSeconds: 600 });
    expect(await queue.count()).toBe(2);
    await queue.clear();

    expect(await queue.count()).toBe(0);
    await expect(queue.delete(leased)).rejects.toMatchObject({ failure: "message-gone" });
  });

  test("put rejects a text longer than 64 KiB", async () => {
    const { queue } = open();
    await expect(queue.put("x".repeat(66_000))).rejects.toMatchObject({ failure: "refused" });
    expect(await queue.count()).toBe(0);
  });
});

test("Messages never expire, so an unused pool stays full", async () => {
  await openStorage("expiry", "text").put("room-a");
  const raw = QueueServiceClient.fromConnectionString(azurite.connectionString).getQueueClient("expiry");
  const { peekedMessageItems } = await raw.peekMessages();

  expect(peekedMessageItems[0]?.expiresOn.getUTCFullYear()).toBe(9999);
});
