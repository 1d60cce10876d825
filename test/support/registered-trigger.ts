/** Registers a timer or queue function as main.ts does and returns what the host would receive. */
import type { StorageQueueHandler, Timer, TimerHandler } from "@azure/functions";
import { type QueueFunction, registerQueueFunctions } from "../../src/lib/background/queue-function.ts";
import { registerTimerFunctions, type TimerFunction } from "../../src/lib/background/timer-function.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";

/** The argument that the host passes to a timer's handler. */
export const aTimer: Timer = {
  isPastDue: false,
  schedule: { adjustForDST: true },
  scheduleStatus: { last: "", next: "", lastUpdated: "" },
};

interface RegisteredTimer {
  readonly schedule: string;
  readonly runOnStartup?: boolean;
  readonly handler: TimerHandler;
}

interface RegisteredQueue {
  readonly queueName: string;
  readonly connection: string;
  readonly handler: StorageQueueHandler;
}

export function registeredTimer(
  timer: TimerFunction<Dependencies>,
  dependencies: Dependencies,
): RegisteredTimer {
  const registered: RegisteredTimer[] = [];
  const app = { timer: (_: string, options: RegisteredTimer) => void registered.push(options) };
  registerTimerFunctions(app, dependencies, { underTest: timer });
  return only(registered);
}

export function registeredQueue(
  queue: QueueFunction<Dependencies>,
  dependencies: Dependencies,
): RegisteredQueue {
  const registered: RegisteredQueue[] = [];
  const app = { storageQueue: (_: string, options: RegisteredQueue) => void registered.push(options) };
  registerQueueFunctions(app, dependencies, { underTest: queue });
  return only(registered);
}

function only<T>(entries: readonly T[]): T {
  const [entry] = entries;
  if (entry === undefined || entries.length > 1)
    throw new Error(`${entries.length} triggers were registered`);
  return entry;
}
