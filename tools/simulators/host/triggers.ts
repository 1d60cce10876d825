/** Starts the timers and queue listeners of the app's functions, and fires them by hand. */
import { QueueServiceClient } from "@azure/storage-queue";
import { Cron } from "croner";
import { bypassProxy } from "../process/bypass-proxy.ts";
import type { AppProcess } from "./app-process.ts";
import type { QueueSettings } from "./host-json.ts";
import type { FunctionMetadata, LogLevel, OnLog, TypedData } from "./messages.ts";
import { startQueueListener } from "./queue-listener.ts";

export interface TriggersOptions {
  readonly metadata: readonly FunctionMetadata[];
  readonly queues: QueueSettings;
  readonly connectionString: string;
  readonly lockSeconds: number;
  readonly timersEnabled: boolean;
  readonly app: AppProcess;
  readonly onLog: OnLog;
}

const storageRetries = { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 1000 };
const timerInput: TypedData = {
  json: JSON.stringify({ Schedule: { AdjustForDST: true }, ScheduleStatus: null, IsPastDue: false }),
};

/** Starts every timer and queue function. Throws if a schedule is invalid. */
export function startTriggers(options: TriggersOptions) {
  const stops: (() => Promise<void> | void)[] = [];
  const firing = new Map<string, (input: string) => Promise<void>>();
  /** The app's process has logged a failure, and the schedule continues. */
  const run = async (name: string, input: TypedData): Promise<void> => {
    await options.app.invoke(name, { input }).catch(() => undefined);
  };
  for (const { name, bindings } of options.metadata) {
    for (const { type: trigger, schedule = "", queueName = "", runOnStartup } of Object.values(bindings)) {
      if (trigger === "timerTrigger") {
        const fire = async () => run(name, timerInput);
        firing.set(name, fire);
        if (!options.timersEnabled) continue;
        // Day of month and day of week must both match, unlike in Unix cron. A run that is due during another one is
        // skipped.
        const cron = new Cron(schedule, { mode: "6-part", domAndDow: true, protect: true }, fire);
        stops.push(() => cron.stop());
        if (runOnStartup) void cron.trigger();
      } else if (trigger === "queueTrigger") {
        firing.set(name, async (input) => run(name, { string: input }));
        stops.push(listenToQueue(options, name, queueName));
      }
    }
  }
  return {
    fire: (name: string, input: string): boolean => {
      void firing.get(name)?.(input);
      return firing.has(name);
    },
    /** Resolves when no message is in progress. */
    stop: async (): Promise<void> => {
      await Promise.all(stops.map(async (stop) => stop()));
    },
  };
}

function listenToQueue(options: TriggersOptions, name: string, queueName: string): () => Promise<void> {
  const { app, connectionString, lockSeconds, onLog, queues } = options;
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString, { retryOptions: storageRetries });
  return startQueueListener({
    queue: service.getQueueClient(queueName),
    poisonQueue: service.getQueueClient(`${queueName}-poison`),
    lockSeconds,
    settings: queues,
    run: async (message, text) => {
      await app.invoke(name, {
        input: { string: text },
        triggerMetadata: {
          Id: { string: message.messageId },
          DequeueCount: { json: JSON.stringify(message.dequeueCount) },
          InsertionTime: { json: JSON.stringify(message.insertedOn) },
        },
      });
    },
    log: (level: LogLevel, message: string) =>
      onLog({ level, category: `Function.${name}`, message, functionName: name }),
  });
}
