/** The queues of a storage account: names, encodings, retries and timeout. */
import { QueueServiceClient } from "@azure/storage-queue";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Azurite, startAzurite } from "../../../local/simulators/azurite.ts";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import type { Queue, QueueMessage } from "../../../src/lib/queues/queue.ts";
import { openQueues, type Queues } from "../../../src/lib/queues/storage-account.ts";
import { createCredential } from "../../../src/lib/wiring/credential.ts";

const open = (connectionString: string, timeoutSeconds?: number): Queues => {
  const storage = { connectionString };
  const timeout = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  return openQueues({ storage, credential: createCredential(storage), ...timeout });
};

describe("at a storage account that is busy or silent", () => {
  const message: QueueMessage = {
    id: "m-1",
    text: "room-a",
    popReceipt: "r",
    dequeueCount: 1,
    ageSeconds: 0,
  };
  let answer: Answer;
  let requests: URL[];
  let server: LoopbackServer;
  beforeAll(async () => {
    server = await startLoopbackServer(({ url }) => {
      requests.push(url);
      return answer;
    });
  });
  beforeEach(() => {
    requests = [];
  });
  afterAll(async () => server.stop());

  const openPool = (timeoutSeconds?: number): Queue => {
    const key = Buffer.from("key").toString("base64");
    const account = `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=${key}`;
    return open(`${account};QueueEndpoint=${server.url}/test`, timeoutSeconds).pool;
  };

  test.each<[string, number, (queue: Queue) => Promise<unknown>]>([
    ["put", 1, async (queue) => queue.put("room-a")],
    ["delete", 1, async (queue) => queue.delete(message)],
    ["setInvisible", 1, async (queue) => queue.setInvisible(message, 0)],
    ["receive", 3, async (queue) => queue.receive(1, 60)],
    ["count", 3, async (queue) => queue.count()],
  ])("%s has %i attempt(s) in all", async (_, times, run) => {
    answer = { status: 503, headers: { "x-ms-error-code": "ServerBusy" } };
    await expect(run(openPool(20))).rejects.toMatchObject({ failure: "unknown" });
    expect(requests).toHaveLength(times);
  });

  test("a call fails as `unknown` after the given timeout", async () => {
    answer = "silence";
    await expect(openPool(0.5).put("room-a")).rejects.toMatchObject({ failure: "unknown" });
  });

  // The default is three seconds, because the event sink's caller waits no longer than seven.
  test("a call fails as `unknown` within ten seconds by default", { timeout: 10_000 }, async () => {
    answer = "silence";
    await expect(openPool().put("room-a")).rejects.toMatchObject({ failure: "unknown" });
  });
});

describe("at Azurite", () => {
  let azurite: Azurite;
  let queues: Queues;
  beforeEach(async () => {
    azurite = await startAzurite();
    queues = open(azurite.connectionString, 20);
    return async () => azurite.stop();
  });

  test("each of the four queues receives its own messages only", async () => {
    const all = [queues.pool, queues.deletion, queues.provisioning, queues.poison];
    for (const [index, queue] of all.entries()) await queue.put(`text-${index}`);
    const received = await Promise.all(all.map(async (queue) => queue.receive(32, 60)));
    expect(received.map((messages) => messages.map(({ text }) => text))).toEqual([
      ["text-0"],
      ["text-1"],
      ["text-2"],
      ["text-3"],
    ]);
  });

  test.each([
    ["pool", "room-creation-queue", "text-x"],
    ["deletion", "room-deletion-queue", "text-x"],
    ["provisioning", "room-provisioning-queue", "dGV4dC14"],
    ["poison", "room-provisioning-queue-poison", "dGV4dC14"],
  ] as const)("the %s queue is %s and stores `text-x` as `%s`", async (key, name, stored) => {
    await queues[key].put("text-x");
    const account = QueueServiceClient.fromConnectionString(azurite.connectionString);
    const { peekedMessageItems } = await account.getQueueClient(name).peekMessages();
    expect(peekedMessageItems.map(({ messageText }) => messageText)).toEqual([stored]);
  });
});
