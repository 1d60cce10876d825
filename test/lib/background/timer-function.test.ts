/** Timer functions: how they are registered and run, and how they fail. */
import { InvocationContext, type Timer } from "@azure/functions";
import { expect, test } from "vitest";
import {
  registerTimerFunctions,
  type TimerApp,
  timerFunction,
} from "../../../src/lib/background/timer-function.ts";

const timer: Timer = {
  isPastDue: false,
  schedule: { adjustForDST: true },
  scheduleStatus: { last: "", next: "", lastUpdated: "" },
};

type Registered = [name: string, options: Parameters<TimerApp["timer"]>[1]];

function createApp() {
  const timers: Registered[] = [];
  const lines: unknown[] = [];
  const app: TimerApp = { timer: (...registered) => void timers.push(registered) };
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  return { app, timers, context, lines };
}

test("a timer function is registered with its schedule and runs with its dependencies", async () => {
  const { app, context, timers } = createApp();
  const runs: unknown[] = [];
  const run = async (dependencies: { name: string }) => void runs.push(dependencies);
  registerTimerFunctions(
    app,
    { name: "dependencies" },
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
  expect(runs).toEqual([{ name: "dependencies" }]);
});

test("every log line of a run names the timer as caller and the invocation as correlation ID", async () => {
  const { app, context, lines, timers } = createApp();
  const logging = timerFunction({
    schedule: "0 0 * * * *",
    run: async (_dependencies: object, log) => log.info("step"),
  });
  registerTimerFunctions(app, {}, { logging });
  await timers[0]?.[1].handler(timer, context);
  expect(lines).toMatchObject([{ event: "step", caller: "timer", correlationId: "i-1" }]);
});

test("an error of a timer function is logged and rethrown", async () => {
  const { app, context, lines, timers } = createApp();
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
