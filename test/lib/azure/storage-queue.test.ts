/** The queues of a storage account: failures, timeouts, retries, ages of messages, names and encodings. */
import { createServer } from "node:http";
import { QueueServiceClient } from "@azure/storage-queue";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { createStorageQueue, openQueues } from "../../../src/lib/azure/storage-queue.ts";
import type { Queue, QueueMessage, Queues } from "../../../src/lib/ports.ts";
import { startAzurite } from "../../../tools/simulators/azurite.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/loopback-server.ts";
import { listen } from "../../../tools/simulators/process/listen.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { useStarted, useStartedPerTest } from "../../support/use-started.ts";

const message: QueueMessage = {
  id: "m",
  text: "room-a",
  popReceipt: "r",
  dequeueCount: 1,
  insertedAt: 0,
  ageSeconds: 0,
};
/** Each operation and the number of its attempts: operations that could do harm are not retried. */
const operations: [keyof Queue, number, (queue: Queue) => Promise<unknown>][] = [
  ["put", 1, async (queue) => queue.put("room-a")],
  ["delete", 1, async (queue) => queue.delete(message)],
  ["setInvisible", 1, async (queue) => queue.setInvisible(message, 0)],
  ["receive", 3, async (queue) => queue.receive(1, 60)],
  ["count", 3, async (queue) => queue.count()],
  ["peek", 3, async (queue) => queue.peek()],
  ["clear", 3, async (queue) => queue.clear()],
];

/** The storage account's response to every request, and the requests of a test. */
let answer: Answer;
let urls: URL[];
const server = useStarted(async () =>
  startLoopbackServer(({ url }) => {
    urls.push(url);
    return answer;
  }),
);
beforeEach(() => {
  urls = [];
});

const connectionString = () => {
  const key = Buffer.from("key").toString("base64");
  return `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=${key};QueueEndpoint=${server.url}/test`;
};
const open = (storage = { connectionString: connectionString() }, timeoutSeconds?: number): Queues => {
  const timeout = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  return openQueues({ storage, credential: createCredential(storage), ...timeout });
};
/** Opens a queue without pauses between attempts. */
const openFast = (): Queue => {
  const retryOptions = { maxTries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const client = (maxTries: number) =>
    QueueServiceClient.fromConnectionString(connectionString(), {
      retryOptions: { ...retryOptions, maxTries },
    }).getQueueClient("room-creation-queue");
  return createStorageQueue({ singleTry: client(1), retrying: client(3) }, "text", 20);
};
const storageError = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml", "x-ms-error-code": code },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>text</Message></Error>`,
});

/** Runs every operation on a queue, at the same time. Returns their errors and how many requests each sent. */
async function failuresOf(openQueue: () => Queue): Promise<unknown[]> {
  return Promise.all(operations.map(async ([, , run]) => run(openQueue()).catch((error: unknown) => error)));
}
const forEachOperation = (error: object) => operations.map(() => expect.objectContaining(error));

test.each(operations)(
  "%s has %i attempts at a busy account or a broken connection",
  async (_, attempts, run) => {
    answer = storageError(503, "ServerBusy");
    await expect(run(open(undefined, 20).pool)).rejects.toMatchObject({ failure: "unknown" });
    expect(urls).toHaveLength(attempts);
    answer = "reset";
    const message = expect.stringMatching(/: (REQUEST_SEND_ERROR|ECONNRESET)$/);
    await expect(run(openFast())).rejects.toMatchObject({ failure: "unknown", message });
    expect(urls).toHaveLength(2 * attempts);
  },
);

test.each([
  [400, "PopReceiptMismatch", "receipt-stale"],
  [404, "MessageNotFound", "message-gone"],
  [404, "QueueNotFound", "message-gone"],
  [400, "InvalidXmlDocument", "refused"],
  [413, "RequestBodyTooLarge", "refused"],
  [403, "AuthenticationFailed", "unknown"],
] as const)("A response %i %s is the failure `%s`", async (status, code, failure) => {
  answer = storageError(status, code);
  const error = { failure, message: `queue delete: ${code}` };
  await expect(openFast().delete(message)).rejects.toMatchObject(error);
});

test("Consecutive operations on all queues share a connection", async () => {
  let connections = 0;
  const listening = createServer((_, response) => response.writeHead(204).end());
  listening.on("connection", () => void (connections += 1));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const account = connectionString().replace(server.url, await listen(listening));
  const { pool, deletion } = open({ connectionString: account });
  for (const queue of [pool, deletion, pool]) await queue.delete(message);
  expect(connections).toBe(1);
});

describe("The age of a message", () => {
  const insertedOn = ["Thu, 15 Jan 2026 09:05:00 GMT", "Thu, 15 Jan 2026 09:00:00 GMT"];
  const respondedOn = "Thu, 15 Jan 2026 09:10:00 GMT";
  const asMessage = (time: string, index: number) =>
    `<QueueMessage><MessageId>m-${index}</MessageId><InsertionTime>${time}</InsertionTime>` +
    "<ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>r</PopReceipt>" +
    `<TimeNextVisible>${respondedOn}</TimeNextVisible><DequeueCount>1</DequeueCount>` +
    `<MessageText>room-${index}</MessageText></QueueMessage>`;
  const messages = `<QueueMessagesList>${insertedOn.map(asMessage).join("")}</QueueMessagesList>`;
  beforeEach(() => {
    const headers = { "content-type": "application/xml", date: respondedOn };
    answer = { status: 200, headers, body: `<?xml version="1.0" encoding="utf-8"?>${messages}` };
  });

  test("is the number of seconds from its insertion to the response, by the storage's clock", async () => {
    const received = await openFast().receive(2, 60);
    expect(received.map(({ ageSeconds }) => ageSeconds)).toEqual([300, 600]);
    expect(received.map(({ insertedAt }) => insertedAt)).toEqual(insertedOn.map(Date.parse));
  });

  test("is returned by peek for up to 32 messages", async () => {
    expect((await openFast().peek()).map(({ ageSeconds }) => ageSeconds)).toEqual([300, 600]);
    expect(urls[0]?.searchParams.get("numofmessages")).toBe("32");
  });
});

describe("On Azurite", () => {
  const azurite = useStartedPerTest(startAzurite);

  test("uses the account's queues, and Base64 in those that the host reads", async () => {
    const queues = open(azurite, 20);
    const account = QueueServiceClient.fromConnectionString(azurite.connectionString);
    for (const [key, name, stored] of [
      ["pool", "room-creation-queue", "text-x"],
      ["deletion", "room-deletion-queue", "text-x"],
      ["provisioning", "room-provisioning-queue", "dGV4dC14"],
      ["poison", "room-provisioning-queue-poison", "dGV4dC14"],
    ] as const) {
      await queues[key].put("text-x");
      const { peekedMessageItems } = await account.getQueueClient(name).peekMessages();
      expect([key, peekedMessageItems.map(({ messageText }) => messageText)]).toEqual([key, [stored]]);
      expect(await queues[key].receive(32, 60)).toMatchObject([{ text: "text-x" }]);
    }
  });
});

// The last test, because on a busy computer its aborted requests may reach the server when it has ended.
test("Every operation fails as `unknown` after 3 s without a response", async () => {
  answer = "silence";
  const asked = shortenTimeouts();
  const noResponse = expect.stringMatching(/^queue [a-z]+: no response$/);
  const { pool } = open();
  expect(await failuresOf(() => pool)).toEqual(
    forEachOperation({ failure: "unknown", status: 503, message: noResponse }),
  );
  expect(asked).toEqual(operations.map(() => 3000));
});
