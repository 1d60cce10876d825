/** The queue keeps one contract in memory and in Azure Storage (Azurite), where its messages do not expire either. */
import { randomUUID } from "node:crypto";
import { QueueServiceClient } from "@azure/storage-queue";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createCredential } from "../../src/lib/azure/credential.ts";
import { openStorageAccount } from "../../src/lib/azure/storage-queue.ts";
import { type Queue, QueueError, type QueueMessage } from "../../src/lib/queue.ts";
import { createMemoryQueue } from "../../tools/simulators/memory/queue.ts";
import { startAzurite } from "../../tools/simulators/services/azurite.ts";
import { useStarted } from "../support/use-started.ts";

const azurite = useStarted(startAzurite);

function openStorage(name: string, encoding: "text" | "base64"): Queue {
  const storage = { connectionString: azurite.connectionString };
  const credential = createCredential(storage);
  return openStorageAccount({ storage, credential, timeoutSeconds: 60 })(name, encoding);
}

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => void vi.useRealTimers();
});
/** Lets time pass for the clock in memory and for Azurite, which runs in this process. */
const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000);

const receiveOne = async (queue: Queue, leaseSeconds = 60): Promise<QueueMessage> => {
  const [message] = await queue.receive(1, leaseSeconds);
  if (!message) throw new Error("no message is visible");
  return message;
};

describe.each([
  ["memory", () => createMemoryQueue({ now: () => Date.now() })],
  ["storage, as text", () => openStorage(`queue-${randomUUID()}`, "text")],
  ["storage, in Base64", () => openStorage(`queue-${randomUUID()}`, "base64")],
])("The queue in %s", (_, open) => {
  test("returns a message with its unchanged text, its id and a dequeue count of 1", async () => {
    const queue = open();
    const text = `  <room & 'name' "x">\nZürich 会議 🏠 ${"x".repeat(250)}  `;
    const put = await queue.put(text);
    expect(put).toMatchObject({ text, dequeueCount: 0 });
    expect(await queue.receive(1, 60)).toMatchObject([{ id: put.id, text, dequeueCount: 1 }]);
  });

  test("is empty if it does not exist yet, can be cleared and accepts messages", async () => {
    const queue = open();
    expect([await queue.receive(1, 60), await queue.count(), await queue.peek()]).toEqual([[], 0, []]);
    await queue.clear();
    await queue.put("room-a");
    expect(await queue.count()).toBe(1);
  });

  test("hides a leased message until its lease ends, then returns it with a higher dequeue count", async () => {
    const queue = open();
    const { id } = await queue.put("room-a");
    const first = await receiveOne(queue, 6);
    pass(4);
    expect(await queue.receive(1, 60)).toEqual([]);
    pass(2.1);
    const second = await receiveOne(queue, 60);
    expect(second).toMatchObject({ id, dequeueCount: 2 });
    expect(second.popReceipt).not.toBe(first.popReceipt);
  });

  test("shows a message that was put invisible after the given time, and lets it be shown or deleted before", async () => {
    const queue = open();
    await queue.put("room-a", { invisibleSeconds: 6 });
    const put = await queue.put("room-b", { invisibleSeconds: 600 });
    await queue.delete(await queue.put("room-c", { invisibleSeconds: 6 }));
    expect([await queue.receive(1, 60), await queue.count()]).toEqual([[], 2]);
    pass(6.1);
    expect(await queue.receive(2, 60)).toMatchObject([{ text: "room-a" }]);
    await queue.setInvisible(put, 0);
    expect(await receiveOne(queue)).toMatchObject({ id: put.id, text: "room-b", dequeueCount: 1 });
  });

  test("lets `setInvisible` extend a lease, and replace the text if one is given, but not the id and the count", async () => {
    const queue = open();
    const { id } = await queue.put("room-a");
    const text = '{"room":"Zo\u00eb & <b>"}';
    await queue.setInvisible(await receiveOne(queue, 1), 6, text);
    pass(1.1);
    expect(await queue.receive(1, 60)).toEqual([]);
    pass(5);
    expect(await receiveOne(queue)).toMatchObject({ id, text, dequeueCount: 2 });
  });

  test("returns at most the requested number of messages, from 1 to 32, each once", async () => {
    const queue = open();
    for (let index = 0; index < 40; index++) await queue.put(`room-${index}`);
    // Azurite's refusal lacks the headers that storage's own have.
    for (const count of [0, 33]) await expect(queue.receive(count, 60)).rejects.toBeInstanceOf(QueueError);
    expect(await queue.receive(30, 60)).toHaveLength(30);
    // At the same time, so neither may return what the other has.
    const others = (await Promise.all([queue.receive(9, 60), queue.receive(9, 60)])).flat();
    expect([others.length, new Set(others.map(({ id }) => id)).size]).toEqual([10, 10]);
  });

  test("lets `delete` and `setInvisible` fail with message-gone for a message that was deleted or cleared", async () => {
    const queue = open();
    for (const end of [async (leased: QueueMessage) => queue.delete(leased), async () => queue.clear()]) {
      await queue.put("room-a");
      const leased = await receiveOne(queue);
      await queue.put("room-b", { invisibleSeconds: 600 });
      expect(await queue.count()).toBe(2);
      await end(leased);
      await expect(queue.delete(leased)).rejects.toMatchObject({ failure: "message-gone" });
      await expect(queue.setInvisible(leased, 0)).rejects.toMatchObject({ failure: "message-gone" });
      await queue.clear();
      expect(await queue.count()).toBe(0);
    }
  });

  test("lets `delete` and `setInvisible` fail with receipt-stale for the receipt of an earlier receive or setInvisible", async () => {
    const queue = open();
    await queue.put("room-a");
    const first = await receiveOne(queue, 1);
    pass(1.1);
    const second = await receiveOne(queue, 60);
    await queue.setInvisible(second, 600);
    for (const early of [first, second]) {
      await expect(queue.delete(early)).rejects.toMatchObject({ failure: "receipt-stale" });
      await expect(queue.setInvisible(early, 0)).rejects.toMatchObject({ failure: "receipt-stale" });
    }
    expect(await queue.count()).toBe(1);
  });

  test("counts the age of a message from its put, and leaves visible messages visible on peek", async () => {
    const queue = open();
    await queue.put("room-a");
    await queue.setInvisible(await receiveOne(queue), 0);
    pass(30);
    await queue.put("room-b");
    await queue.put("room-c", { invisibleSeconds: 600 });
    // Storage counts in whole seconds.
    const visible = [
      { text: "room-a", ageSeconds: expect.closeTo(30, -0.3) },
      { text: "room-b", ageSeconds: expect.closeTo(0, -0.3) },
    ];
    expect(await queue.peek()).toEqual(visible);
    expect(await queue.receive(3, 60)).toMatchObject(visible);
    expect(await queue.peek()).toEqual([]);
  });
});

test("Messages never expire, so an unused pool stays full", async () => {
  await openStorage("expiry", "text").put("room-a");
  const raw = QueueServiceClient.fromConnectionString(azurite.connectionString).getQueueClient("expiry");
  const { peekedMessageItems } = await raw.peekMessages();
  expect(peekedMessageItems[0]?.expiresOn.getUTCFullYear()).toBe(9999);
});
