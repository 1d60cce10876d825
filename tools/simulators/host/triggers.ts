/** Starts the timers and queue listeners of the app's functions, and fires them by hand. */
import { Cron } from "croner";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openStorageAccount } from "../../../src/lib/azure/storage-queue.ts";
import { bypassProxy } from "../../terminal/bypass-proxy.ts";
import type { AppProcess } from "./app-process.ts";
import type { QueueSettings } from "./host-json.ts";
import type { CallInput, FunctionMetadata, OnLog } from "./messages.ts";
import { startQueueListener } from "./queue-listener.ts";

export interface TriggersOptions {
  readonly metadata: readonly FunctionMetadata[];
  readonly queues: QueueSettings;
  readonly connectionString: string;
  readonly timersEnabled: boolean;
  readonly app: Pick<AppProcess, "invoke">;
  readonly onLog: OnLog;
}

const timerInput: CallInput["input"] = {
  json: JSON.stringify({ Schedule: { AdjustForDST: true }, ScheduleStatus: null, IsPastDue: false }),
};

/** Starts every timer and queue function. Throws if a schedule is invalid. */
export function startTriggers(options: TriggersOptions) {
  const stops: (() => Promise<void> | void)[] = [];
  const firing = new Map<string, (input: string) => Promise<void>>();
  /** The app's process has logged a failure, and the schedule continues. */
  const run = async (name: string, input: CallInput["input"]): Promise<void> => {
    await options.app.invoke(name, { input }).catch(() => undefined);
  };
  for (const { name, bindings } of options.metadata) {
    for (const { type: trigger, schedule = "", queueName = "", runOnStartup } of Object.values(bindings)) {
      if (trigger === "timerTrigger") {
        const fire = async () => run(name, timerInput);
        firing.set(name, fire);
        if (!options.timersEnabled) continue;
        const cron = startTimer(schedule, fire);
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

/**
 * Starts a timer. Its runs never overlap: one that is due during another follows it at once, however many were due
 * (TimerListener.HandleTimerEvent in github.com/Azure/azure-webjobs-sdk-extensions).
 */
function startTimer(schedule: string, fire: () => Promise<void>): Cron {
  let isDue = false;
  const protect = () => {
    isDue = true;
  };
  // Day of month and day of week must both match, unlike in Unix cron.
  return new Cron(schedule, { mode: "6-part", domAndDow: true, protect }, async () => {
    do {
      isDue = false;
      await fire();
    } while (isDue);
  });
}

function listenToQueue(options: TriggersOptions, name: string, queueName: string): () => Promise<void> {
  const { app, connectionString, onLog, queues } = options;
  bypassProxy();
  const storage = { connectionString };
  const openQueue = openStorageAccount({ storage, credential: createCredential(storage) });
  return startQueueListener({
    queue: openQueue(queueName, "base64"),
    queueName,
    poisonQueue: openQueue(`${queueName}-poison`, "base64"),
    settings: queues,
    run: async ({ id, text, dequeueCount }) =>
      app.invoke(name, {
        input: { string: text },
        triggerMetadata: {
          Id: { string: id },
          DequeueCount: { json: String(dequeueCount) },
        },
      }),
    log: (level, message) => onLog({ level, category: `Function.${name}`, message, functionName: name }),
  });
}
