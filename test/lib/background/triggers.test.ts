/** Timers and the queue trigger: errors reach the host, so that it records and repeats; and the log says why. */
import { InvocationContext, type StorageQueueHandler, type Timer, type TimerHandler } from "@azure/functions";
import { expect, test } from "vitest";
import {
  queueFunction,
  registerQueueFunctions,
  registerTimerFunctions,
  timerFunction,
} from "../../../src/lib/background/triggers.ts";

const timer: Timer = {
  isPastDue: false,
  schedule: { adjustForDST: true },
  scheduleStatus: { last: "", next: "", lastUpdated: "" },
};

function start(triggerMetadata: Record<string, unknown> = {}) {
  const lines: unknown[] = [];
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    triggerMetadata: { ...triggerMetadata } as Record<string, string>,
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  const timers: [string, { schedule: string; runOnStartup?: boolean; handler: TimerHandler }][] = [];
  const queues: [string, { queueName: string; connection: string; handler: StorageQueueHandler }][] = [];
  const app = {
    timer: (name: string, options: (typeof timers)[number][1]) => void timers.push([name, options]),
    storageQueue: (name: string, options: (typeof queues)[number][1]) => void queues.push([name, options]),
  };
  return { app, context, lines, timers, queues };
}

test("a timer is registered with its schedule, and runs with its needs", async () => {
  const { app, context, timers } = start();
  const runs: unknown[] = [];
  const run = async (needs: { name: string }) => void runs.push(needs);
  registerTimerFunctions(
    app,
    { name: "needs" },
    {
      often: timerFunction({ schedule: "0 */5 * * * *", runOnStartup: true, run }),
      seldom: timerFunction({ schedule: "0 0 * * * *", run }),
    },
  );

  expect(timers).toMatchObject([
    ["often", { schedule: "0 */5 * * * *", runOnStartup: true }],
    ["seldom", { schedule: "0 0 * * * *", runOnStartup: false }],
  ]);
  await timers[0]?.[1].handler(timer, context);
  expect(runs).toEqual([{ name: "needs" }]);
});

test("a timer's error is logged and rethrown", async () => {
  const { app, context, lines, timers } = start();
  const error = new Error("the run failed");
  const failing = timerFunction({
    schedule: "0 0 * * * *",
    run: async () => {
      throw error;
    },
  });
  registerTimerFunctions(app, {}, { failing });

  await expect(timers[0]?.[1].handler(timer, context)).rejects.toBe(error);
  expect(lines).toMatchObject([
    { level: "error", event: "run-failed", causes: [{ message: "the run failed" }] },
  ]);
});

test.each([
  [{ dequeueCount: 3 }, 3],
  [{ dequeueCount: "4" }, 4],
  [{}, 1],
])("a queue function gets the message and how often it was received (%j)", async (metadata, dequeueCount) => {
  const { app, context, queues } = start(metadata);
  const handled: unknown[] = [];
  const handle = async (message: unknown, count: number) => void handled.push([message, count]);
  registerQueueFunctions(app, {}, { provisionRoom: queueFunction({ queueName: "a-queue", handle }) });

  expect(queues).toMatchObject([
    ["provisionRoom", { queueName: "a-queue", connection: "AzureWebJobsStorage" }],
  ]);
  await queues[0]?.[1].handler({ reason: "claimed" }, context);
  expect(handled).toEqual([[{ reason: "claimed" }, dequeueCount]]);
});

test("a queue function's error is logged and rethrown, so that the host gives the message back", async () => {
  const { app, context, lines, queues } = start();
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
