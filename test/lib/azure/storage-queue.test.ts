/** The queues of a storage account: failures, timeouts, retries, ages of messages, names and encodings. */
import { createServer } from "node:http";
import { Socket } from "node:net";
import { QueueServiceClient } from "@azure/storage-queue";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import type { Queue, QueueMessage, Queues } from "../../../src/lib/queue.ts";
import { startAzurite } from "../../../tools/simulators/services/azurite.ts";
import { listen } from "../../../tools/simulators/services/listen.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { queueAttempts } from "../../support/storage-attempts.ts";
import { useStarted } from "../../support/use-started.ts";

const ages = { insertedAt: 0, ageSeconds: 0 };
const aMessage: QueueMessage = { id: "m", text: "room-a", popReceipt: "r", dequeueCount: 1, ...ages };
const operations: { [Name in keyof Queue]: (queue: Queue) => Promise<unknown> } = {
  put: async (queue) => queue.put("room-a"),
  delete: async (queue) => queue.delete(aMessage),
  setInvisible: async (queue) => queue.setInvisible(aMessage, 0),
  receive: async (queue) => queue.receive(1, 60),
  count: async (queue) => queue.count(),
  peek: async (queue) => queue.peek(),
  clear: async (queue) => queue.clear(),
};

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

const connectionString = () =>
  `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=a2V5;QueueEndpoint=${server.url}/test`;
const open = (storage = { connectionString: connectionString() }, timeoutSeconds = 20): Queues =>
  openQueues({ storage, credential: createCredential(storage), timeoutSeconds });
const id = { "x-ms-request-id": "r" };
const storageError = (status: number, code: string): Answer => ({
  status,
  headers: { ...id, "content-type": "application/xml", "x-ms-error-code": code },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>text</Message></Error>`,
});

const operationNames = Object.keys(queueAttempts) as (keyof Queue)[];
test.each(operationNames)("The simulation repeats the operation %s as often as the library", async (name) => {
  answer = storageError(503, "ServerBusy");
  await expect(operations[name](open().pool)).rejects.toMatchObject({ failure: "unknown" });
  expect(urls).toHaveLength(queueAttempts[name]);
});

test("A broken connection is the failure `unknown`", async () => {
  answer = "reset";
  const message = expect.stringMatching(/^queue delete: (REQUEST_SEND_ERROR|ECONNRESET)$/);
  const details = { retryAfterSeconds: 5, cause: expect.any(Error) };
  await expect(open().pool.delete(aMessage)).rejects.toMatchObject({ failure: "unknown", message, details });
});

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
  await expect(open().pool.delete(aMessage)).rejects.toMatchObject(error);
});

test("The creation of a missing queue has a timeout, too", async () => {
  answer = storageError(404, "QueueNotFound");
  const asked = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => asked.mockRestore());
  const storage = { connectionString: connectionString() };
  await expect(open(storage, 17).pool.count()).rejects.toMatchObject({ failure: "message-gone" });
  expect(asked.mock.calls.filter(([milliseconds]) => milliseconds === 17_000)).toHaveLength(2);
});

test("Consecutive operations on all queues share a connection, which ends when it is idle for 4 s", async () => {
  const limits = vi.spyOn(Socket.prototype, "setTimeout");
  onTestFinished(() => limits.mockRestore());
  let connections = 0;
  const listening = createServer((_, response) => response.writeHead(204, id).end());
  listening.on("connection", () => {
    connections += 1;
  });
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const account = connectionString().replace(server.url, await listen(listening));
  const { pool, deletion } = open({ connectionString: account });
  for (const queue of [pool, deletion, pool]) await queue.delete(aMessage);
  expect(connections).toBe(1);
  expect(limits).toHaveBeenCalledWith(4000);
});

test("The age of a message is the time from its insertion to the response, by the storage's clock", async () => {
  const insertedOn = ["Thu, 15 Jan 2026 09:05:00 GMT", "Thu, 15 Jan 2026 09:00:00 GMT"];
  const date = "Thu, 15 Jan 2026 09:10:00 GMT";
  const messages = insertedOn.map(
    (time) =>
      `<QueueMessage><MessageId>m</MessageId><InsertionTime>${time}</InsertionTime>` +
      `<ExpirationTime>${date}</ExpirationTime><PopReceipt>r</PopReceipt><TimeNextVisible>${date}</TimeNextVisible>` +
      "<DequeueCount>1</DequeueCount><MessageText>room-a</MessageText></QueueMessage>",
  );
  const body = `<?xml version="1.0"?><QueueMessagesList>${messages.join("")}</QueueMessagesList>`;
  answer = { status: 200, headers: { ...id, "content-type": "application/xml", date }, body };
  const { pool } = open();
  const insertedAt = insertedOn.map((time) => Date.parse(time));
  expect(await pool.receive(2, 60)).toMatchObject([
    { ageSeconds: 300, insertedAt: insertedAt[0] },
    { ageSeconds: 600, insertedAt: insertedAt[1] },
  ]);
  expect(await pool.peek()).toMatchObject([{ ageSeconds: 300 }, { ageSeconds: 600 }]);
  expect(urls[1]?.searchParams.get("numofmessages")).toBe("32");
});

test("On Azurite, the account's queues are used, and Base64 in those that the host reads", async () => {
  const azurite = await startAzurite();
  onTestFinished(azurite.stop);
  const queues = open(azurite);
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
