/** The queue port over Azure Storage Queues when the service fails: named failures, time limits, no repeated put. */
import { QueueServiceClient } from "@azure/storage-queue";
import { afterEach, expect, test } from "vitest";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
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

/** A storage account that gives the same answer to everything, and counts the calls. */
async function start(answer: Answer): Promise<{ queue: Queue; calls: () => number }> {
  let calls = 0;
  server = await startLoopbackServer(() => {
    calls += 1;
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
  return { queue, calls: () => calls };
}
const storageError = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml", "x-ms-error-code": code },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>text</Message></Error>`,
});

test.each(operations)(
  "%s of a service that never answers: unknown, within its time limit",
  async (_, run) => {
    const { queue } = await start("silence");
    await expect(run(queue)).rejects.toMatchObject({
      failure: "unknown",
      status: 503,
      message: expect.stringMatching(/^queue [a-z]+: no response$/),
    });
  },
);

test.each(operations)("%s of a service that fails: unknown, 503", async (_, run) => {
  const { queue } = await start(storageError(500, "InternalError"));
  await expect(run(queue)).rejects.toMatchObject({ failure: "unknown", code: "storage-unavailable" });
});

test.each(["put", "delete", "setInvisible"] as const)(
  "%s is sent once only: a repetition could do harm",
  async (name) => {
    const { queue, calls } = await start(storageError(503, "ServerBusy"));
    await expect(operations.find(([operation]) => operation === name)?.[1](queue)).rejects.toThrow("queue");
    expect(calls()).toBe(1);
  },
);

test.each(["receive", "count", "oldestAgeSeconds", "clear"] as const)("%s is repeated", async (name) => {
  const { queue, calls } = await start(storageError(503, "ServerBusy"));
  await expect(operations.find(([operation]) => operation === name)?.[1](queue)).rejects.toThrow("queue");
  expect(calls()).toBe(3);
});

test.each([
  [400, "PopReceiptMismatch", "receipt-stale"],
  [404, "MessageNotFound", "message-gone"],
  [404, "QueueNotFound", "message-gone"],
  [400, "InvalidXmlDocument", "refused"],
  [413, "RequestBodyTooLarge", "refused"],
  [403, "AuthenticationFailed", "unknown"],
] as const)("an answer %i %s is the failure %s", async (status, code, failure) => {
  const { queue } = await start(storageError(status, code));
  await expect(queue.delete(message)).rejects.toMatchObject({ failure, message: `queue delete: ${code}` });
});

test("a service that cannot be reached is unknown", async () => {
  const { queue } = await start("reset");
  await server?.stop();
  server = undefined;
  await expect(queue.put("room-a")).rejects.toMatchObject({ failure: "unknown" });
});
