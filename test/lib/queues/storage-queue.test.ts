/** The queue port when Azure Storage fails: named failures, timeouts and retries; and the ages of messages. */
import { QueueServiceClient } from "@azure/storage-queue";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { createOutboundCalls, withOutboundCalls } from "../../../src/lib/outbound-calls.ts";
import type { Queue, QueueMessage } from "../../../src/lib/queues/queue.ts";
import { createStorageQueue } from "../../../src/lib/queues/storage-queue.ts";

const message: QueueMessage = {
  id: "m-1",
  text: "room-a",
  popReceipt: "r-1",
  dequeueCount: 1,
  ageSeconds: 0,
};
const operations: [keyof Queue, (queue: Queue) => Promise<unknown>][] = [
  ["put", async (queue) => queue.put("room-a")],
  ["receive", async (queue) => queue.receive(1, 60)],
  ["delete", async (queue) => queue.delete(message)],
  ["setInvisible", async (queue) => queue.setInvisible(message, 0)],
  ["count", async (queue) => queue.count()],
  ["oldestAgeSeconds", async (queue) => queue.oldestAgeSeconds()],
  ["clear", async (queue) => queue.clear()],
];

let server: LoopbackServer | undefined;
afterEach(async () => server?.stop());

/** Starts a storage account that gives the same response to every request, and records their addresses. */
async function start(answer: Answer): Promise<{ queue: Queue; urls: URL[] }> {
  const urls: URL[] = [];
  server = await startLoopbackServer(({ url }) => {
    urls.push(url);
    return answer;
  });
  const account = `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=${Buffer.from("key").toString("base64")}`;
  const connectionString = `${account};QueueEndpoint=${server.url}/test`;
  const open = (maxTries: number) =>
    QueueServiceClient.fromConnectionString(connectionString, {
      retryOptions: { maxTries, retryDelayInMs: 1, maxRetryDelayInMs: 2 },
    }).getQueueClient("room-creation-queue");
  const queue = createStorageQueue({
    singleTry: open(1),
    retrying: open(3),
    encoding: "text",
    timeoutSeconds: answer === "silence" ? 1 : 20,
  });
  return { queue, urls };
}
const storageError = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml", "x-ms-error-code": code },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>text</Message></Error>`,
});

test.each(operations)(
  "%s fails as `unknown` after its timeout if the service does not respond",
  async (_, run) => {
    const { queue } = await start("silence");
    await expect(run(queue)).rejects.toMatchObject({
      failure: "unknown",
      status: 503,
      message: expect.stringMatching(/^queue [a-z]+: no response$/),
    });
  },
);

test.each(operations)("%s is counted as one call to storage, even if it fails", async (_, run) => {
  const { queue } = await start(storageError(400, "InvalidInput"));
  const totals = createOutboundCalls();
  await expect(withOutboundCalls(totals, async () => run(queue))).rejects.toThrow("queue ");
  expect([totals.storage.calls, totals.platform.calls]).toEqual([1, 0]);
  expect(totals.storage.milliseconds).toBeGreaterThan(0);
});

test.each(operations)("%s fails as `unknown`, a 503, if the service returns 500", async (_, run) => {
  const { queue } = await start(storageError(500, "InternalError"));
  await expect(run(queue)).rejects.toMatchObject({ failure: "unknown", code: "storage-unavailable" });
});

test.each(["put", "delete", "setInvisible"] as const)(
  "%s is not retried, because a retry could do harm",
  async (name) => {
    const { queue, urls } = await start(storageError(503, "ServerBusy"));
    await expect(operations.find(([operation]) => operation === name)?.[1](queue)).rejects.toThrow("queue");
    expect(urls).toHaveLength(1);
  },
);

test.each(["receive", "count", "oldestAgeSeconds", "clear"] as const)("%s is retried twice", async (name) => {
  const { queue, urls } = await start(storageError(503, "ServerBusy"));
  await expect(operations.find(([operation]) => operation === name)?.[1](queue)).rejects.toThrow("queue");
  expect(urls).toHaveLength(3);
});

test.each([
  [400, "PopReceiptMismatch", "receipt-stale"],
  [404, "MessageNotFound", "message-gone"],
  [404, "QueueNotFound", "message-gone"],
  [400, "InvalidXmlDocument", "refused"],
  [413, "RequestBodyTooLarge", "refused"],
  [403, "AuthenticationFailed", "unknown"],
] as const)("a response %i %s is the failure `%s`", async (status, code, failure) => {
  const { queue } = await start(storageError(status, code));
  await expect(queue.delete(message)).rejects.toMatchObject({ failure, message: `queue delete: ${code}` });
});

test("put fails as `unknown` if the service cannot be reached", async () => {
  const { queue } = await start("reset");
  await server?.stop();
  server = undefined;
  await expect(queue.put("room-a")).rejects.toMatchObject({ failure: "unknown" });
});

describe("ages of messages", () => {
  const insertedOn = ["Thu, 15 Jan 2026 09:05:00 GMT", "Thu, 15 Jan 2026 09:00:00 GMT"];
  const respondedOn = "Thu, 15 Jan 2026 09:10:00 GMT";
  const asMessage = (time: string, index: number) =>
    `<QueueMessage><MessageId>m-${index}</MessageId><InsertionTime>${time}</InsertionTime>` +
    "<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>r</PopReceipt>" +
    `<TimeNextVisible>${respondedOn}</TimeNextVisible><DequeueCount>1</DequeueCount>` +
    `<MessageText>room-${index}</MessageText></QueueMessage>`;
  const messages = `<QueueMessagesList>${insertedOn.map(asMessage).join("")}</QueueMessagesList>`;
  const listed: Answer = {
    status: 200,
    headers: { "content-type": "application/xml", date: respondedOn },
    body: `<?xml version="1.0" encoding="utf-8"?>${messages}`,
  };

  test("receive returns the seconds from a message's insertion to the response, by the storage's clock", async () => {
    const { queue } = await start(listed);
    expect((await queue.receive(2, 60)).map(({ ageSeconds }) => ageSeconds)).toEqual([300, 600]);
  });

  test("oldestAgeSeconds returns the age of the oldest of up to 32 messages, in any order", async () => {
    const { queue, urls } = await start(listed);
    expect(await queue.oldestAgeSeconds()).toBe(600);
    expect(urls[0]?.searchParams.get("numofmessages")).toBe("32");
  });
});
