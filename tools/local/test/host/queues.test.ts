/** The queue trigger against Azurite: payloads, leases, retries, poison messages, outages. */
import { fileURLToPath } from "node:url";
import { QueueServiceClient } from "@azure/storage-queue";
import { expect, onTestFinished, test, vi } from "vitest";
import { startStorageProxy } from "../../../../test/support/storage-proxy.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startAzurite } from "../../simulators/azurite.ts";
import { fire, startTestHost, type TestHost } from "./test-host.ts";

const azurite = useStarted(async () => startAzurite());

interface Setup {
  readonly messageLockSeconds?: number;
  readonly connectionString?: string;
  readonly backgroundDrainSeconds?: number;
}

async function setUp({ connectionString = azurite.connectionString, ...times }: Setup = {}) {
  const service = QueueServiceClient.fromConnectionString(azurite.connectionString);
  const [queue, poison] = [service.getQueueClient("work"), service.getQueueClient("work-poison")];
  await queue.createIfNotExists();
  await queue.clearMessages();
  const running = await startTestHost("queue-app.ts", {
    hostJsonPath: fileURLToPath(new URL("./queue-host.json", import.meta.url)),
    environment: { AzureWebJobsStorage: connectionString },
    timeScale: { messageLockSeconds: 30, retryDelaySeconds: 0, pollSeconds: 0.2, ...times },
  });
  onTestFinished(running.stop);
  const send = async (value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return queue.sendMessage(Buffer.from(text).toString("base64"));
  };
  const untilEmpty = async () =>
    vi.waitFor(async () => expect((await queue.getProperties()).approximateMessagesCount).toBe(0), {
      timeout: 15_000,
      interval: 50,
    });
  return { queue, poison, running, send, untilEmpty };
}

function begun({ appMessages }: TestHost) {
  return appMessages()
    .map((message) => JSON.parse(message))
    .filter(({ event }) => event === "begins");
}

test("A JSON message arrives parsed, other text unchanged, and both are deleted on success; so is one fired by hand", async () => {
  const { running, send, untilEmpty } = await setUp();
  await send({ room: "é✓" });
  await send("no JSON");
  await running.waitForMessages(2, "ends");
  await untilEmpty();
  expect((await fire(running.host, "work", { input: '{"byHand":true}' })).status).toBe(202);
  await running.waitForMessages(3, "ends");
  const messages = begun(running).map(({ message }) => message);
  expect(messages).toEqual(expect.arrayContaining([{ room: "é✓" }, "no JSON", { byHand: true }]));
});

test("A failure and a crash count as attempts; after the last one, the message moves to the poison queue", async () => {
  const { poison, running, send, untilEmpty } = await setUp();
  await send({ crashOnce: true, failTimes: 2 });
  await running.waitForMessages(1, "ends");
  await untilEmpty();
  expect(begun(running).map(({ dequeueCount }) => dequeueCount)).toEqual([1, 2, 3]);
  await send({ failTimes: 99 });
  await running.waitForMessages(6, "begins");
  await untilEmpty();
  const { receivedMessageItems } = await poison.receiveMessages();
  expect(
    receivedMessageItems.map(({ messageText }) => Buffer.from(messageText, "base64").toString()),
  ).toEqual(['{"failTimes":99}']);
});

test("The lease is renewed while the function runs, so no other host gets the message", async () => {
  const { running, send, untilEmpty } = await setUp({ messageLockSeconds: 6 });
  await send({ holdMilliseconds: 7000 });
  await running.waitForMessages(1, "ends");
  await untilEmpty();
  expect(begun(running)).toHaveLength(1);
});

test("Concurrent messages do not exceed batch size plus threshold", async () => {
  const { running, send } = await setUp();
  await Promise.all(Array.from({ length: 9 }, async () => send({ holdMilliseconds: 200 })));
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

test("The listener survives a storage outage with one warning", async () => {
  const proxy = await startStorageProxy(azurite.queueServiceUrl);
  onTestFinished(() => proxy.stop());
  const connectionString = azurite.connectionString.replace(azurite.queueServiceUrl, proxy.url);
  const { running, send } = await setUp({ connectionString });
  await send({ before: true });
  await running.waitForMessages(1, "ends");
  const warnings = () => running.log.filter((line) => line.message.includes("cannot be read"));

  proxy.setDown(true);
  await vi.waitFor(() => expect(warnings()).toHaveLength(1), { timeout: 10_000 });
  await send({ during: true });
  proxy.setDown(false);
  await running.waitForMessages(2, "ends");
  expect(warnings()).toHaveLength(1);
});

test("stop lets a message finish and delete itself, and leaves the one that outlasts the limit", async () => {
  const { queue, running, send } = await setUp({ backgroundDrainSeconds: 4 });
  await send({ holdMilliseconds: 700 });
  await send({ holdMilliseconds: 60_000 });
  await running.waitForMessages(2, "begins");
  await running.host.stop();
  expect(running.appMessages().filter((message) => message.includes("ends"))).toHaveLength(1);
  expect((await queue.getProperties()).approximateMessagesCount).toBe(1);
  expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);
});
