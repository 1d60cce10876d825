/** The Azure clients as the app makes them: which calls are repeated, how long they last, and who they say they are. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { type MetricsRow, metricsColumns } from "../../../src/lib/metrics/row.ts";
import type { Queue, QueueMessage } from "../../../src/lib/queues/queue.ts";
import { createMetricsSink, createQueues } from "../../../src/lib/queues/storage-account.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

let answer: Answer;
let requests: URL[];
let server: LoopbackServer;
// One server for all: the identity library reads the address of its endpoint once in a process.
beforeAll(async () => {
  server = await startLoopbackServer(({ url }) => {
    requests.push(url);
    return answer;
  });
});
beforeEach(() => {
  requests = [];
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => server.stop());

describe("the queues", () => {
  const message: QueueMessage = {
    id: "m-1",
    text: "room-a",
    popReceipt: "r",
    dequeueCount: 1,
    ageSeconds: 0,
  };
  const open = (timeoutSeconds = 20): Queue => {
    const key = Buffer.from("key").toString("base64");
    const account = `DefaultEndpointsProtocol=http;AccountName=test;AccountKey=${key}`;
    const connectionString = `${account};QueueEndpoint=${server.url}/test`;
    return createQueues({ connectionString }, timeoutSeconds)("room-creation-queue", "text");
  };

  test.each<[string, number, (queue: Queue) => Promise<unknown>]>([
    ["put", 1, async (queue) => queue.put("room-a")],
    ["delete", 1, async (queue) => queue.delete(message)],
    ["change of visibility", 1, async (queue) => queue.setInvisible(message, 0)],
    ["receive", 3, async (queue) => queue.receive(1, 60)],
    ["count", 3, async (queue) => queue.count()],
  ])("a %s that a busy storage turns away is sent %i times in all", async (_, times, run) => {
    answer = { status: 503, headers: { "x-ms-error-code": "ServerBusy" } };
    await expect(run(open())).rejects.toMatchObject({ failure: "unknown" });
    expect(requests).toHaveLength(times);
  });

  test("a call without an answer is given up after the time limit", async () => {
    answer = "silence";
    await expect(open(0.5).put("room-a")).rejects.toMatchObject({ failure: "unknown" });
  });
});

describe("the app's identity", () => {
  const clientId = "77777777-7777-4777-8777-777777777777";
  const nothing = Object.fromEntries(Object.keys(metricsColumns).map((column) => [column, null]));
  const asked = () => requests.map(({ searchParams }) => Object.fromEntries(searchParams));
  beforeEach(() => {
    // The address at which a Functions app asks for tokens; here it refuses, so that nothing else is called.
    vi.stubEnv("IDENTITY_ENDPOINT", `${server.url}/token`);
    vi.stubEnv("IDENTITY_HEADER", "made-up");
    answer = { status: 400, body: {} };
  });

  test.each([
    ["the user-assigned one that the settings name", clientId],
    ["the app's own when they name none", undefined],
  ])("of a queue by address is %s", async (_, identityClientId) => {
    const queueServiceUrl = "https://exampleaccount.queue.core.windows.net";
    const open = createQueues({ queueServiceUrl, usesManagedIdentity: true, identityClientId }, 20);
    await expect(open("room-creation-queue", "text").count()).rejects.toMatchObject({ failure: "unknown" });

    expect(asked()[0]).toMatchObject({ resource: "https://storage.azure.com" });
    expect(asked().map(({ client_id }) => client_id)).toEqual(asked().map(() => identityClientId));
  });

  test("of the log workspace is the one of the queues", async () => {
    const sink = createMetricsSink(
      loadSettings({
        ...exampleEnvironment,
        AzureWebJobsStorage: undefined,
        AzureWebJobsStorage__accountName: "exampleaccount",
        AzureWebJobsStorage__credential: "managedidentity",
        AzureWebJobsStorage__clientId: clientId,
        LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
        LOGS_INGESTION_RULE_ID: "dcr-1",
        LOGS_INGESTION_STREAM: "Custom-X",
      }),
    );
    const isRow = (value: object): value is MetricsRow => "RunId" in value;
    if (!isRow(nothing)) throw new Error("the row has no RunId");
    await expect(sink(nothing)).rejects.toThrow("the log workspace did not take the row");

    expect(asked()[0]).toMatchObject({ resource: "https://monitor.azure.com", client_id: clientId });
  });
});
