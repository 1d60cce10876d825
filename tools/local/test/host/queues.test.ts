/** The queue trigger against Azurite: payloads, leases, retries, poison messages, outages. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { expect, onTestFinished, test, vi } from "vitest";
import { startStorageProxy } from "../../../../test/support/storage-proxy.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startAzurite } from "../../simulators/azurite.ts";
import { fire, startTestHost, type TestHost } from "./test-host.ts";

const azurite = useStarted(async () => startAzurite());

interface Setup {
  lockSeconds?: number;
  connectionString?: string;
  createQueue?: boolean;
  backgroundDrainSeconds?: number;
}

async function setUp({ lockSeconds = 30, connectionString, createQueue = true, ...drain }: Setup = {}) {
  const queueName = `work-${randomUUID()}`;
  const service = QueueServiceClient.fromConnectionString(azurite.connectionString);
  const queue = service.getQueueClient(queueName);
  if (createQueue) await queue.create();
  const running = await startTestHost("queue-app.ts", {
    hostJsonPath: fileURLToPath(new URL("./apps/queue-host.json", import.meta.url)),
    environment: { AzureWebJobsStorage: connectionString ?? azurite.connectionString, QUEUE_NAME: queueName },
    timeScale: { messageLockSeconds: lockSeconds, retryDelaySeconds: 0, pollSeconds: 0.2, ...drain },
  });
  onTestFinished(running.stop);
  return { queue, poison: service.getQueueClient(`${queueName}-poison`), running };
}

function send(queue: QueueClient, value: unknown) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return queue.sendMessage(Buffer.from(text).toString("base64"));
}

function begun({ appMessages }: TestHost) {
  return appMessages()
    .map((message) => JSON.parse(message))
    .filter(({ event }) => event === "begins");
}

function waitUntilEmpty(queue: QueueClient) {
  return vi.waitFor(async () => expect((await queue.getProperties()).approximateMessagesCount).toBe(0), {
    timeout: 15_000,
    interval: 50,
  });
}

test("A JSON message arrives parsed, other text unchanged, and both are deleted on success", async () => {
  const { queue, running } = await setUp();
  await send(queue, { room: "é✓" });
  await send(queue, "no JSON");
  await send(queue, "12");
  await running.waitForMessages(3, "ends");
  await waitUntilEmpty(queue);
  expect(begun(running).map(({ message }) => message)).toEqual(
    expect.arrayContaining([{ room: "é✓" }, "no JSON", 12]),
  );
  expect(begun(running)[0].metadata).toEqual({
    queueTrigger: expect.anything(),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    popReceipt: expect.stringMatching(/./),
    dequeueCount: 1,
    insertionTime: expect.stringMatching(/^\d{4}-.*Z$/),
    expirationTime: expect.stringMatching(/^\d{4}-.*Z$/),
    nextVisibleTime: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

test("A failed message is retried with a higher dequeue count", async () => {
  const { queue, running } = await setUp();
  await send(queue, { failTimes: 2 });
  await running.waitForMessages(1, "ends");
  await waitUntilEmpty(queue);
  expect(begun(running).map(({ metadata }) => metadata.dequeueCount)).toEqual([1, 2, 3]);
});

test("A message that keeps failing moves to the poison queue with its text unchanged", async () => {
  const { queue, poison, running } = await setUp();
  const { messageId } = await send(queue, { failTimes: 99 });
  await running.waitForMessages(3, "begins");
  await waitUntilEmpty(queue);
  const { receivedMessageItems } = await poison.receiveMessages();
  expect(receivedMessageItems).toHaveLength(1);
  expect(receivedMessageItems[0]?.messageId).not.toBe(messageId);
  expect(Buffer.from(receivedMessageItems[0]?.messageText ?? "", "base64").toString()).toBe(
    '{"failTimes":99}',
  );
  expect(begun(running)).toHaveLength(3);
});

test("Text that is not Base64 moves to the poison queue without reaching the function", async () => {
  const { queue, poison, running } = await setUp();
  await queue.sendMessage("{not base64}");
  await waitUntilEmpty(queue);
  const { peekedMessageItems } = await poison.peekMessages();
  expect(peekedMessageItems.map((message) => message.messageText)).toEqual(["{not base64}"]);
  expect(running.appMessages()).toEqual([]);
});

test("The lease is renewed while the function runs, so no other host gets the message", async () => {
  const { queue, running } = await setUp({ lockSeconds: 6 });
  await send(queue, { holdMilliseconds: 7000 });
  await running.waitForMessages(1, "ends");
  await waitUntilEmpty(queue);
  expect(begun(running)).toHaveLength(1);
});

test("Concurrent messages do not exceed batch size plus threshold", async () => {
  const { queue, running } = await setUp();
  await Promise.all(Array.from({ length: 9 }, () => send(queue, { holdMilliseconds: 200 })));
  await running.waitForMessages(9, "ends");
  let atOnce = 0;
  let most = 0;
  for (const message of running.appMessages()) {
    atOnce += JSON.parse(message).event === "begins" ? 1 : -1;
    most = Math.max(most, atOnce);
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(3);
});

test("A crash of the app counts as a failed attempt", async () => {
  const { queue, running } = await setUp();
  await send(queue, { crashOnce: true });
  await running.waitForMessages(1, "ends");
  await waitUntilEmpty(queue);
  expect(begun(running).map(({ metadata }) => metadata.dequeueCount)).toEqual([1, 2]);
});

test("The listener waits for a missing queue without logging", async () => {
  const { queue, running } = await setUp({ createQueue: false });
  await queue.create();
  await send(queue, { late: true });
  await running.waitForMessages(1, "ends");
  expect(running.log.filter((line) => line.level === "warning" || line.level === "error")).toEqual([]);
});

test("The listener survives a storage outage with one warning", async () => {
  const proxy = await startStorageProxy(azurite.queueServiceUrl);
  onTestFinished(() => proxy.stop());
  const connectionString = azurite.connectionString.replace(azurite.queueServiceUrl, proxy.url);
  const { queue, running } = await setUp({ connectionString });
  await send(queue, { before: true });
  await running.waitForMessages(1, "ends");
  const warnings = () => running.log.filter((line) => line.message.includes("cannot be read"));

  proxy.setDown(true);
  await vi.waitFor(() => expect(warnings()).toHaveLength(1), { timeout: 10_000 });
  await send(queue, { during: true });
  proxy.setDown(false);
  await running.waitForMessages(2, "ends");
  expect(warnings()).toHaveLength(1);
});

test("POST /admin/functions/<name> fires a queue function", async () => {
  const { running } = await setUp();
  expect((await fire(running.host, "work", { input: '{"byHand":true}' })).status).toBe(202);
  await running.waitForMessages(1, "ends");
  expect(begun(running)[0].message).toEqual({ byHand: true });
});

test("stop lets a message finish and delete itself", async () => {
  const { queue, running } = await setUp();
  await send(queue, { holdMilliseconds: 700 });
  await running.waitForMessages(1, "begins");
  await running.host.stop();
  expect(running.appMessages().filter((message) => message.includes("ends"))).toHaveLength(1);
  expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
});

test("stop gives up a queue run that outlasts the limit and leaves its message", async () => {
  const { queue, running } = await setUp({ backgroundDrainSeconds: 0.2 });
  await send(queue, { holdMilliseconds: 30_000 });
  await running.waitForMessages(1, "begins");
  await running.host.stop();
  expect((await queue.getProperties()).approximateMessagesCount).toBe(1);
  expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);
});
