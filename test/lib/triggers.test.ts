/** Timer and queue functions: registration, input and failures. */
import {
  InvocationContext,
  type StorageQueueFunctionOptions,
  type TimerFunctionOptions,
} from "@azure/functions";
import { beforeEach, describe, expect, test } from "vitest";
import type { Log } from "../../src/lib/log.ts";
import {
  type QueueFunction,
  registerQueueFunctions,
  registerTimerFunctions,
  type TimerFunction,
} from "../../src/lib/triggers.ts";
import { aTimer } from "../../tools/simulators/memory/functions.ts";

const registeredTimer = <D>(timer: TimerFunction<D>, dependencies: D): TimerFunctionOptions =>
  onlyRegistration((register) =>
    registerTimerFunctions({ timer: register }, dependencies, { underTest: timer }),
  );

const registeredQueue = <D>(queue: QueueFunction<D>, dependencies: D): StorageQueueFunctionOptions =>
  onlyRegistration((register) =>
    registerQueueFunctions({ storageQueue: register }, dependencies, { underTest: queue }),
  );

function onlyRegistration<T>(registerAll: (register: (name: string, options: T) => void) => void): T {
  const registered: T[] = [];
  registerAll((_, options) => void registered.push(options));
  const [entry] = registered;
  if (entry === undefined) throw new Error("no trigger was registered");
  return entry;
}

const dependencies = { name: "dependencies" };
const timerDoing = (run: TimerFunction<object>["run"]) =>
  registeredTimer({ schedule: "0 0 * * * *", run }, dependencies);
const queueDoing = (handle: QueueFunction<object>["handle"]) =>
  registeredQueue({ queueName: "a-queue", handle }, dependencies);

let lines: unknown[];
beforeEach(() => {
  lines = [];
});
const contextWith = (triggerMetadata: Record<string, string> = {}) =>
  new InvocationContext({
    functionName: "f",
    invocationId: "i-1",
    triggerMetadata,
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });

const kinds = {
  timer: async (work: (log: Log) => Promise<void>) =>
    timerDoing(async (_, log) => work(log)).handler(aTimer, contextWith()),
  queue: async (work: (log: Log) => Promise<void>) =>
    queueDoing(async (_message, _count, _, log) => work(log)).handler({}, contextWith()),
};

describe.each(Object.entries(kinds))("A %s function", (kind, run) => {
  test("names its kind as caller and the invocation as correlation ID in every log line", async () => {
    await run(async (log) => log.info("step"));
    expect(lines).toMatchObject([{ event: "step", caller: kind, correlationId: "i-1" }]);
  });

  // The host retries a failed timer run at its next time, and returns a failed message to its queue.
  test("logs and rethrows an error", async () => {
    const failure = new Error("not now");
    await expect(run(async () => Promise.reject(failure))).rejects.toBe(failure);
    expect(lines).toMatchObject([{ level: "error", event: "run-failed", causes: [{ message: "not now" }] }]);
  });
});

test("A timer function is registered with its schedule and runs with its dependencies", async () => {
  const runs: unknown[] = [];
  const registered = timerDoing(async (given) => void runs.push(given));
  expect(registered).toMatchObject({ schedule: "0 0 * * * *", runOnStartup: false });
  await registered.handler(aTimer, contextWith());
  expect(runs).toEqual([dependencies]);
});

test("A timer function runs on startup if its definition says so", () => {
  const often = { schedule: "0 */5 * * * *", runOnStartup: true, run: async () => undefined };
  expect(registeredTimer(often, {})).toMatchObject({ schedule: "0 */5 * * * *", runOnStartup: true });
});

test.each<[Record<string, string>, number]>([
  [{ dequeueCount: "4" }, 4],
  [{}, 1],
])("A queue function gets its message and, from metadata %j, the dequeue count %i", async (given, count) => {
  const handled: unknown[] = [];
  const registered = queueDoing(async (...received) => void handled.push(received.slice(0, 3)));
  expect(registered).toMatchObject({ queueName: "a-queue", connection: "AzureWebJobsStorage" });
  await registered.handler({ a: 1 }, contextWith(given));
  expect(handled).toEqual([[{ a: 1 }, count, dependencies]]);
});
