/** The triggers of functions: registration, input and failures. */
import {
  type HttpFunctionOptions,
  InvocationContext,
  type StorageQueueFunctionOptions,
  type TimerFunctionOptions,
} from "@azure/functions";
import { beforeEach, expect, test } from "vitest";
import { healthCheck } from "../../src/functions/health-check.ts";
import { listRooms } from "../../src/functions/list-rooms.ts";
import type { Log } from "../../src/lib/log.ts";
import { registerFunctions } from "../../src/lib/triggers.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { aTimer } from "../../tools/simulators/memory/functions.ts";
import { createMemoryGateway, createMemoryWorld } from "../../tools/simulators/memory/gateway.ts";

const { dependencies } = createMemoryGateway(createMemoryWorld(createManualClock()));
const schedule = "0 0 * * * *";
const aContext = (triggerMetadata: Record<string, string> = {}) =>
  new InvocationContext({
    invocationId: "i-1",
    triggerMetadata,
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });

let lines: unknown[];
let timers: TimerFunctionOptions[];
let queues: StorageQueueFunctionOptions[];
let https: [string, HttpFunctionOptions][];
let given: unknown[];
let work: (log: Log) => Promise<void>;
beforeEach(() => {
  [lines, timers, queues, https, given] = [[], [], [], [], []];
  work = async (log) => log.info("step");
  const app = {
    http: (...registered: (typeof https)[number]) => void https.push(registered),
    timer: (_: string, options: TimerFunctionOptions) => void timers.push(options),
    storageQueue: (_: string, options: StorageQueueFunctionOptions) => void queues.push(options),
  };
  const run = async (...received: [...unknown[], Log]) => {
    given = received.slice(0, -1);
    return work(received.at(-1) as Log);
  };
  registerFunctions(app, dependencies, {
    http: { listRooms, healthCheck },
    timers: { seldom: { schedule, run }, often: { schedule, runOnStartup: true, run } },
    queues: { served: { queueName: "a-queue", handle: run } },
  });
});

test("Functions are registered with what their definitions say, and without function keys of the host", () => {
  const common = { authLevel: "anonymous", handler: expect.any(Function) };
  expect(https).toEqual([
    ["listRooms", { methods: ["GET"], route: "room/list", ...common }],
    ["healthCheck", { methods: ["GET", "HEAD"], route: "public/health", ...common }],
  ]);
  const handler: unknown = expect.any(Function);
  expect(timers).toEqual([false, true].map((runOnStartup) => ({ schedule, runOnStartup, handler })));
  expect(queues).toEqual([{ queueName: "a-queue", connection: "AzureWebJobsStorage", handler }]);
});

test.each<[string, () => unknown, unknown[]]>([
  ["timer", async () => timers[0]?.handler(aTimer, aContext()), [dependencies]],
  ["queue", async () => queues[0]?.handler({ a: 1 }, aContext()), [{ a: 1 }, 1, dependencies]],
  ["queue", async () => queues[0]?.handler("x", aContext({ dequeueCount: "4" })), ["x", 4, dependencies]],
])(
  "A function of a %s gets its input, names its caller in each line, and logs and rethrows errors",
  async (caller, invoke, input) => {
    await invoke();
    expect(given).toEqual(input);
    const failure = new Error("not now");
    work = async () => Promise.reject(failure);
    // The host retries a failed timer run at its next time, and returns a failed message to its queue.
    await expect(invoke()).rejects.toBe(failure);
    expect(lines).toMatchObject([
      { event: "step", caller, correlationId: "i-1" },
      { level: "error", event: "run-failed", caller, causes: [{ message: "not now" }] },
    ]);
  },
);
