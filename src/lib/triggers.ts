/** Registers the functions with their triggers: HTTP, timers and the queue. The host retries what throws. */
import type {
  HttpFunctionOptions,
  InvocationContext,
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

export interface TimerFunction<Dependencies> {
  /** NCRONTAB with seconds, in UTC. */
  readonly schedule: string;
  /** Whether the function also runs when the app starts. Defaults to false. */
  readonly runOnStartup?: boolean;
  readonly run: (dependencies: Dependencies, log: Log) => Promise<void>;
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

/** The functions of the app by name. */
interface Functions<Dependencies> {
  readonly http: Readonly<Record<string, HttpFunction<Dependencies>>>;
  readonly timers: Readonly<Record<string, TimerFunction<Dependencies>>>;
  readonly queues: Readonly<Record<string, QueueFunction<Dependencies>>>;
}

/**
 * Registers each function under its key. The host's function keys are not used: `access` decides who may call. Queues
 * are on the host's own storage account.
 */
export function registerFunctions<Dependencies extends HttpDependencies>(
  app: App,
  dependencies: Dependencies,
  { http, timers, queues }: Functions<NoInfer<Dependencies>>,
): void {
  for (const [name, definition] of Object.entries(http)) {
    const { method, route, allowsHead = false } = definition;
    const methods = allowsHead ? [method, "HEAD" as const] : [method];
    app.http(name, { methods, route, authLevel: "anonymous", handler: toHandler(definition, dependencies) });
  }
  for (const [name, { schedule, runOnStartup = false, run }] of Object.entries(timers)) {
    app.timer(name, {
      schedule,
      runOnStartup,
      handler: async (_timer, context) => runLogged(context, "timer", async (log) => run(dependencies, log)),
    });
  }
  for (const [name, { queueName, handle }] of Object.entries(queues)) {
    app.storageQueue(name, {
      queueName,
      connection: "AzureWebJobsStorage",
      handler: async (message, context) => {
        const dequeueCount = Number(context.triggerMetadata?.["dequeueCount"] ?? 1);
        return runLogged(context, "queue", async (log) => handle(message, dequeueCount, dependencies, log));
      },
    });
  }
}

/** Runs `work`. Logs and rethrows any error, because the host records and retries only what throws. */
async function runLogged(
  context: InvocationContext,
  caller: string,
  work: (log: Log) => Promise<void>,
): Promise<void> {
  const log = createLog(context, { caller });
  try {
    await work(log);
  } catch (error) {
    log.error("run-failed", {}, error);
    throw error;
  }
}
