/** Starts the timers and queue listeners of the app's functions, and fires them by hand. */
import { QueueServiceClient } from "@azure/storage-queue";
import { bypassProxy } from "../../process/bypass-proxy.ts";
import type { HostSettings } from "../host-json.ts";
import type { HostedFunction } from "../hosted-function.ts";
import type { Invoker } from "../worker/invoker.ts";
import type { Binding, FunctionMetadata, LogLevel, OnLog, TypedData } from "../worker/messages.ts";
import { startQueueListener } from "./queue-listener.ts";
import { createTimerListener, type TimerListener } from "./timer-listener.ts";

export interface TriggersOptions {
  readonly metadata: readonly FunctionMetadata[];
  readonly settings: HostSettings;
  readonly environment: Record<string, string>;
  readonly timeScale?: {
    readonly messageLockSeconds?: number;
    readonly retryDelaySeconds?: number;
    readonly pollSeconds?: number;
  };
  readonly timersEnabled?: boolean;
  readonly invoker: Invoker;
  readonly onLog: OnLog;
}

const messageLockSeconds = 600;
const storageRetries = { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 1000 };

/** Starts every timer and queue function. Logs and skips one that cannot listen. */
export function startTriggers(options: TriggersOptions) {
  const functions: HostedFunction[] = [];
  const listeners: { stop(): Promise<void> }[] = [];
  const firing = new Map<string, (input: string) => Promise<void>>();
  for (const { name, bindings } of options.metadata) {
    const log = (level: LogLevel, message: string): void =>
      options.onLog({ level, category: `Function.${name}`, message, functionName: name });
    for (const binding of Object.values(bindings)) {
      try {
        if (binding.type === "timerTrigger") {
          const schedule = resolveSettings(binding.schedule ?? "", options.environment);
          functions.push({ name, trigger: binding.type, schedule });
          const timer = listenToTimer(options, name, binding, schedule, log);
          listeners.push(timer);
          firing.set(name, () => runLogged(options.invoker, name, timer.currentInput()));
        } else if (binding.type === "queueTrigger") {
          const queueName = resolveSettings(binding.queueName ?? "", options.environment);
          functions.push({ name, trigger: binding.type, queueName });
          firing.set(name, (input) => runLogged(options.invoker, name, { string: input }));
          listeners.push(listenToQueue(options, name, binding, queueName, log));
        }
      } catch (error) {
        log("error", `The listener for function '${name}' was unable to start: ${String(error)}`);
      }
    }
  }
  return {
    functions,
    fire(name: string, input: string): boolean {
      const run = firing.get(name);
      void run?.(input);
      return run !== undefined;
    },
    async stop(): Promise<void> {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
  };
}

function listenToTimer(
  { environment, invoker, timersEnabled }: TriggersOptions,
  name: string,
  { runOnStartup }: Binding,
  schedule: string,
  log: (level: LogLevel, message: string) => void,
): TimerListener {
  const timer = createTimerListener({
    schedule,
    runOnStartup: runOnStartup ?? false,
    run: (input) => runLogged(invoker, name, input),
  });
  const hasStorage = Object.keys(environment).some((key) => /^AzureWebJobsStorage(__|$)/.test(key));
  if (!hasStorage) {
    log("error", `The listener for function '${name}' was unable to start: AzureWebJobsStorage is missing.`);
  } else if (timersEnabled ?? true) {
    timer.start();
  }
  return timer;
}

function listenToQueue(
  { environment, invoker, settings, timeScale }: TriggersOptions,
  name: string,
  { connection }: Binding,
  queueName: string,
  log: (level: LogLevel, message: string) => void,
) {
  const connectionString = environment[connection || "AzureWebJobsStorage"];
  if (connectionString === undefined) {
    throw new Error(`There is no connection string named '${connection || "AzureWebJobsStorage"}'.`);
  }
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString, { retryOptions: storageRetries });
  const { queues } = settings;
  return startQueueListener({
    queue: service.getQueueClient(queueName),
    poisonQueue: service.getQueueClient(`${queueName}-poison`),
    // Storage accepts whole seconds only.
    lockSeconds: Math.ceil(timeScale?.messageLockSeconds ?? messageLockSeconds),
    settings: {
      ...queues,
      visibilityTimeoutSeconds: timeScale?.retryDelaySeconds ?? queues.visibilityTimeoutSeconds,
      maxPollingIntervalSeconds: timeScale?.pollSeconds ?? queues.maxPollingIntervalSeconds,
    },
    async run(message, text) {
      await invoker.invoke(name, {
        input: { string: text },
        triggerMetadata: {
          QueueTrigger: { string: text },
          Id: { string: message.messageId },
          PopReceipt: { string: message.popReceipt },
          DequeueCount: { json: JSON.stringify(message.dequeueCount) },
          InsertionTime: { json: JSON.stringify(message.insertedOn) },
          ExpirationTime: { json: JSON.stringify(message.expiresOn) },
          NextVisibleTime: { json: JSON.stringify(message.nextVisibleOn) },
        },
      });
    },
    log,
  });
}

// The invoker has logged the failure, and a timer's schedule continues.
function runLogged(invoker: Invoker, name: string, input: TypedData): Promise<void> {
  return invoker.invoke(name, { input }).then(
    () => undefined,
    () => undefined,
  );
}

/** Replaces `%NAME%` by the setting of that name. */
function resolveSettings(text: string, environment: Record<string, string>): string {
  return text.replace(/%([^%]+)%/g, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) throw new Error(`The setting '${name}' is missing.`);
    return value;
  });
}
