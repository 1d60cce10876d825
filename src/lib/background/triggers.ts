/** Timers and the queue trigger: the same idea as for HTTP, but errors are rethrown, so that the host records and retries. */
import type { StorageQueueHandler, TimerHandler } from "@azure/functions";
import { createLog } from "../invocation-log.ts";
import type { Log } from "../log.ts";

export interface TimerFunction<Dependencies> {
  /** NCRONTAB with seconds, in UTC. */
  readonly schedule: string;
  readonly runOnStartup?: boolean;
  readonly run: (dependencies: Dependencies, log: Log) => Promise<void>;
}

export interface QueueFunction<Dependencies> {
  readonly queueName: string;
  readonly handle: (
    message: unknown,
    dequeueCount: number,
    dependencies: Dependencies,
    log: Log,
  ) => Promise<void>;
}

/** A timer as it is stated in its file. */
export function timerFunction<Dependencies>(
  definition: TimerFunction<Dependencies>,
): TimerFunction<Dependencies> {
  return definition;
}

/** A queue function as it is stated in its file. */
export function queueFunction<Dependencies>(
  definition: QueueFunction<Dependencies>,
): QueueFunction<Dependencies> {
  return definition;
}

/** The part of `@azure/functions`' `app` that is used here. */
export interface TriggerApp {
  timer(name: string, options: { schedule: string; runOnStartup?: boolean; handler: TimerHandler }): void;
  storageQueue(
    name: string,
    options: { queueName: string; connection: string; handler: StorageQueueHandler },
  ): void;
}

/** Registers each timer under its key. */
export function registerTimerFunctions<Dependencies>(
  app: TriggerApp,
  dependencies: Dependencies,
  functions: Readonly<Record<string, TimerFunction<Dependencies>>>,
): void {
  for (const [name, { schedule, runOnStartup = false, run }] of Object.entries(functions)) {
    app.timer(name, {
      schedule,
      runOnStartup,
      handler: async (_timer, context) =>
        runLogged(createLog(context), async (log) => run(dependencies, log)),
    });
  }
}

/** Registers each queue function under its key, on the host's own storage account. */
export function registerQueueFunctions<Dependencies>(
  app: TriggerApp,
  dependencies: Dependencies,
  functions: Readonly<Record<string, QueueFunction<Dependencies>>>,
): void {
  for (const [name, { queueName, handle }] of Object.entries(functions)) {
    app.storageQueue(name, {
      queueName,
      connection: "AzureWebJobsStorage",
      handler: async (message, context) =>
        runLogged(createLog(context), async (log) => {
          const dequeueCount = Number(context.triggerMetadata?.["dequeueCount"] ?? 1);
          await handle(message, dequeueCount, dependencies, log);
        }),
    });
  }
}

async function runLogged(log: Log, run: (log: Log) => Promise<void>): Promise<void> {
  try {
    await run(log);
  } catch (error) {
    log.error("run-failed", {}, error);
    throw error;
  }
}
