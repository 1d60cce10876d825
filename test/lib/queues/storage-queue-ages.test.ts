/** Ages of messages are told by the storage's clock alone: a wrong one here makes no room look due for deletion. */
import { QueueServiceClient } from "@azure/storage-queue";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import type { Queue } from "../../../src/lib/queues/queue.ts";
import { createStorageQueue } from "../../../src/lib/queues/storage-queue.ts";

const insertedOn = ["Thu, 15 Jan 2026 09:05:00 GMT", "Thu, 15 Jan 2026 09:00:00 GMT"];
const answeredOn = "Thu, 15 Jan 2026 09:10:00 GMT";

const asMessage = (time: string, index: number) =>
  `<QueueMessage><MessageId>m-${index}</MessageId><InsertionTime>${time}</InsertionTime>` +
  "<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>r</PopReceipt>" +
  `<TimeNextVisible>${answeredOn}</TimeNextVisible><DequeueCount>1</DequeueCount>` +
  `<MessageText>room-${index}</MessageText></QueueMessage>`;
const messages = `<QueueMessagesList>${insertedOn.map(asMessage).join("")}</QueueMessagesList>`;

let requests: URL[];
let server: LoopbackServer;
let queue: Queue;
beforeEach(async () => {
  requests = [];
  server = await startLoopbackServer(({ url }) => {
    requests.push(url);
    const headers = { "content-type": "application/xml", date: answeredOn };
    return { status: 200, headers, body: `<?xml version="1.0" encoding="utf-8"?>${messages}` };
  });
  const account = "DefaultEndpointsProtocol=http;AccountName=test;AccountKey=a2V5";
  const client = QueueServiceClient.fromConnectionString(`${account};QueueEndpoint=${server.url}/test`);
  const queueClient = client.getQueueClient("room-deletion-queue");
  queue = createStorageQueue({
    singleTry: queueClient,
    retrying: queueClient,
    encoding: "text",
    timeoutSeconds: 5,
  });
});
afterEach(async () => server.stop());

test("a message's age is the time from its put to the answer, in seconds", async () => {
  expect((await queue.receive(2, 60)).map(({ ageSeconds }) => ageSeconds)).toEqual([300, 600]);
});

test("the oldest age is that of the oldest among up to 32 messages, wherever it stands", async () => {
  expect(await queue.oldestAgeSeconds()).toBe(600);
  expect(requests[0]?.searchParams.get("numofmessages")).toBe("32");
});
