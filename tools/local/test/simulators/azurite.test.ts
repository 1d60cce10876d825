/** Azurite in process: instances are separate, and `stop` closes every service. */
import { QueueServiceClient } from "@azure/storage-queue";
import { expect, test } from "vitest";
import { startAzurite } from "../../simulators/azurite.ts";

const oneTry = { retryOptions: { maxTries: 1 } };

test("Azurite instances in one process have separate queues", async () => {
  const [first, second] = await Promise.all([startAzurite(), startAzurite()]);
  try {
    const service = QueueServiceClient.fromConnectionString(first.connectionString, oneTry);
    const queue = service.getQueueClient("letters");
    await queue.create();
    await queue.sendMessage("hello");
    const received = await queue.receiveMessages();
    expect(received.receivedMessageItems.map((message) => message.messageText)).toEqual(["hello"]);

    const other = QueueServiceClient.fromConnectionString(second.connectionString, oneTry);
    expect(await other.getQueueClient("letters").exists()).toBe(false);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});

test("Azurite serves blobs and tables if requested, and nothing after stop", async () => {
  const azurite = await startAzurite({ blob: true, table: true });
  const urls = [azurite.queueServiceUrl, azurite.blobServiceUrl, azurite.tableServiceUrl];
  const responses = await Promise.all(urls.map(async (url) => fetch(`${url}?comp=list`)));
  expect(responses.map(({ headers }) => headers.get("server"))).toEqual([
    expect.stringContaining("Azurite-Queue"),
    expect.stringContaining("Azurite-Blob"),
    expect.stringContaining("Azurite-Table"),
  ]);
  await azurite.stop();
  for (const url of urls) await expect(fetch(`${url}?comp=list`)).rejects.toThrow("fetch failed");
});
