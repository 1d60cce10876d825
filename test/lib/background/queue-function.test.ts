/** Queue functions: how they are registered, what they receive, and how they fail. */
import { InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import {
  type QueueApp,
  queueFunction,
  registerQueueFunctions,
} from "../../../src/lib/background/queue-function.ts";

type Registered = [name: string, options: Parameters<QueueApp["storageQueue"]>[1]];

function createApp(triggerMetadata: Record<string, unknown> = {}) {
  const queues: Registered[] = [];
  const lines: unknown[] = [];
  const app: QueueApp = { storageQueue: (...registered) => void queues.push(registered) };
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    triggerMetadata: { ...triggerMetadata } as Record<string, string>,
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  return { app, queues, context, lines };
}

test.each([
  [{ dequeueCount: 3 }, 3],
  [{ dequeueCount: "4" }, 4],
  [{}, 1],
])(
  "a queue function receives the message and, from metadata %j, the dequeue count %i",
  async (metadata, dequeueCount) => {
    const { app, context, queues } = createApp(metadata);
    const handled: unknown[] = [];
    const handle = async (message: unknown, count: number) => void handled.push([message, count]);
    registerQueueFunctions(app, {}, { provisionRoom: queueFunction({ queueName: "a-queue", handle }) });

    expect(queues).toMatchObject([
      ["provisionRoom", { queueName: "a-queue", connection: "AzureWebJobsStorage" }],
    ]);
    await queues[0]?.[1].handler({ reason: "claimed" }, context);
    expect(handled).toEqual([[{ reason: "claimed" }, dequeueCount]]);
  },
);

test("every log line of a run names the queue as caller and the invocation as correlation ID", async () => {
  const { app, context, lines, queues } = createApp();
  const logging = queueFunction({
    queueName: "a-queue",
    handle: async (_message, _dequeueCount, _dependencies: object, log) => log.info("step"),
  });
  registerQueueFunctions(app, {}, { logging });
  await queues[0]?.[1].handler({}, context);
  expect(lines).toMatchObject([{ event: "step", caller: "queue", correlationId: "i-1" }]);
});

test("an error of a queue function is logged and rethrown, so the host returns the message to the queue", async () => {
  const { app, context, lines, queues } = createApp();
  const failing = queueFunction({
    queueName: "a-queue",
    handle: async () => {
      throw new Error("not now");
    },
  });
  registerQueueFunctions(app, {}, { failing });

  await expect(queues[0]?.[1].handler({}, context)).rejects.toThrow("not now");
  expect(lines).toMatchObject([{ level: "error", event: "run-failed" }]);
});
