/** Registers the functions with their triggers: HTTP, timers and the queue. The host retries what throws. */
import type {
  HttpFunctionOptions,
  StorageQueueFunctionOptions,
  TimerFunctionOptions,
} from "@azure/functions";
import type { HttpFunction } from "./http/contract.ts";
import { type HttpDependencies, toHandler } from "./http/pipeline.ts";
import { createLog, type Log } from "./log.ts";

/** The part of the `app` object of `@azure/functions` that registers functions. */
interface App {
  http(name: string, options: HttpFunctionOptions): void;
  timer(name: string, options: TimerFunctionOptions): void;
  storageQueue(name: string, options: StorageQueueFunctionOptions): void;
}

/** Registers each function under its key. The host's function keys are not used: `access` decides who may call. */
export function registerHttpFunctions<Dependencies extends HttpDependencies>(
  app: Pick<App, "http">,
  dependencies: Dependencies,
  functions: Readonly<Record<string, HttpFunction<NoInfer<Dependencies>>>>,
): void {
  for (const [name, definition] of Object.entries(functions)) {
    const { method, route, answersHead = false } = definition;
    const handler = toHandler(definition, dependencies);
    const methods = answersHead ? [method, "HEAD" as const] : [method];
    app.http(name, { methods, route, authLevel: "anonymous", handler });
  }
}

export interface TimerFunction<Dependencies> {
  /** NCRONTAB with seconds, in UTC. */
  readonly schedule: string;
  /** Whether the function also runs when the app starts. Defaults to false. */
  readonly runOnStartup?: boolean;
  readonly run: (dependencies: Dependencies, log: Log) => Promise<void>;
}

/** Registers each timer function under its key. The handlers log and rethrow any error. */
export function registerTimerFunctions<Dependencies>(
  app: Pick<App, "timer">,
  dependencies: Dependencies,
  functions: Readonly<Record<string, TimerFunction<Dependencies>>>,
): void {
  for (const [name, { schedule, runOnStartup = false, run }] of Object.entries(functions)) {
    app.timer(name, {
      schedule,
      runOnStartup,
      handler: async (_timer, context) =>
        runLogged(createLog(context, { caller: "timer" }), async (log) => run(dependencies, log)),
    });
  }
}

export interface QueueFunction<Dependencies> {
  readonly queueName: string;
  /** Handles one decoded message. `dequeueCount` is 1 on the first delivery. */
  readonly handle: (
    message: unknown,
    dequeueCount: number,
    dependencies: Dependencies,
    log: Log,
  ) => Promise<void>;
}

/**
 * Registers each queue function under its key, on the host's own storage account. The handlers log and rethrow any
 * error.
 */
export function registerQueueFunctions<Dependencies>(
  app: Pick<App, "storageQueue">,
  dependencies: Dependencies,
  functions: Readonly<Record<string, QueueFunction<Dependencies>>>,
): void {
  for (const [name, { queueName, handle }] of Object.entries(functions)) {
    app.storageQueue(name, {
      queueName,
      connection: "AzureWebJobsStorage",
      handler: async (message, context) =>
        runLogged(createLog(context, { caller: "queue" }), async (log) => {
          const dequeueCount = Number(context.triggerMetadata?.["dequeueCount"] ?? 1);
          await handle(message, dequeueCount, dependencies, log);
        }),
    });
  }
}

/** Runs `work`. Logs and rethrows any error, because the host records and retries only what throws. */
async function runLogged(log: Log, work: (log: Log) => Promise<void>): Promise<void> {
  try {
    await work(log);
  } catch (error) {
    log.error("run-failed", {}, error);
    throw error;
  }
}
