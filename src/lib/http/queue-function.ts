/** Queue functions: a queue and the work that each of its messages triggers. */
import type { StorageQueueHandler } from "@azure/functions";
import { createLog } from "../invocation-log.ts";
import type { Log } from "../log.ts";
import { runLogged } from "./run-logged.ts";

/** A queue and the work that each message triggers. */
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

/** The part of the `app` object of `@azure/functions` that registers queue triggers. */
export interface QueueApp {
  storageQueue(
    name: string,
    options: {
      readonly queueName: string;
      readonly connection: string;
      readonly handler: StorageQueueHandler;
    },
  ): void;
}

/** Returns `definition` unchanged, with its dependencies inferred from the parameters of `handle`. */
export function queueFunction<Dependencies>(
  definition: QueueFunction<Dependencies>,
): QueueFunction<Dependencies> {
  return definition;
}

/**
 * Registers each queue function under its key, on the host's own storage account. The handlers log and rethrow any
 * error.
 */
export function registerQueueFunctions<Dependencies>(
  app: QueueApp,
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
