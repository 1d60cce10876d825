/** Timer and queue functions: registration, input and failures. */
import { InvocationContext } from "@azure/functions";
import { describe, expect, test } from "vitest";
import type { Log } from "../../src/lib/log.ts";
import type { TimerFunction } from "../../src/lib/triggers.ts";
import { aTimer, registeredQueue, registeredTimer } from "../support/registered-trigger.ts";

type Handle = (log: Log, dependencies: object, ...message: unknown[]) => Promise<void>;

/** Registers and runs a function with this `handle`; returns what was registered, and the lines of its log. */
async function run(kind: "timer" | "queue", handle: Handle, triggerMetadata: Record<string, string> = {}) {
  const lines: unknown[] = [];
  const logHandler = (level: string, line: unknown) =>
    void lines.push({ level, ...JSON.parse(String(line)) });
  const context = new InvocationContext({
    functionName: "f",
    invocationId: "i-1",
    triggerMetadata,
    logHandler,
  });
  const dependencies = { name: "dependencies" };
  const timer = registeredTimer(
    { schedule: "0 0 * * * *", run: async (parts: object, log: Log) => handle(log, parts) },
    dependencies,
  );
  const queue = registeredQueue(
    {
      queueName: "a-queue",
      handle: async (message: unknown, count: number, parts: object, log: Log) =>
        handle(log, parts, message, count),
    },
    dependencies,
  );
  const outcome = kind === "timer" ? timer.handler(aTimer, context) : queue.handler({ a: 1 }, context);
  const error: unknown = await Promise.resolve(outcome).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { registered: kind === "timer" ? timer : queue, lines, error };
}

describe.each(["timer", "queue"] as const)("A %s function", (kind) => {
  test("names its kind as caller and the invocation as correlation ID in every log line", async () => {
    const { lines } = await run(kind, async (log) => log.info("step"));
    expect(lines).toMatchObject([{ event: "step", caller: kind, correlationId: "i-1" }]);
  });

  // The host retries a failed timer run at its next time, and returns a failed message to its queue.
  test("logs and rethrows an error", async () => {
    const failure = new Error("not now");
    const { lines, error } = await run(kind, async () => Promise.reject(failure));
    expect(error).toBe(failure);
    expect(lines).toMatchObject([{ level: "error", event: "run-failed", causes: [{ message: "not now" }] }]);
  });
});

test("A timer function is registered with its schedule and runs with its dependencies", async () => {
  const runs: unknown[] = [];
  const { registered } = await run("timer", async (_, dependencies) => void runs.push(dependencies));
  expect(registered).toMatchObject({ schedule: "0 0 * * * *", runOnStartup: false });
  expect(runs).toEqual([{ name: "dependencies" }]);
});

test("A timer function runs on startup if its definition says so", () => {
  const often: TimerFunction<object> = {
    schedule: "0 */5 * * * *",
    runOnStartup: true,
    run: async () => undefined,
  };
  expect(registeredTimer(often, {})).toMatchObject({ schedule: "0 */5 * * * *", runOnStartup: true });
});

test.each([
  [{ dequeueCount: 3 }, 3],
  [{ dequeueCount: "4" }, 4],
  [{}, 1],
])("A queue function gets its message and, from metadata %j, the dequeue count %i", async (given, count) => {
  const handled: unknown[] = [];
  const metadata = { ...given } as Record<string, string>;
  const { registered } = await run(
    "queue",
    async (...received) => void handled.push(received.slice(1)),
    metadata,
  );
  expect(registered).toMatchObject({ queueName: "a-queue", connection: "AzureWebJobsStorage" });
  expect(handled).toEqual([[{ name: "dependencies" }, { a: 1 }, count]]);
});
