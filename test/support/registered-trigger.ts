/** Registers a timer or queue function as main.ts does and returns what the host would receive. */
import type { StorageQueueFunctionOptions, TimerFunctionOptions } from "@azure/functions";
import {
  type QueueFunction,
  registerQueueFunctions,
  registerTimerFunctions,
  type TimerFunction,
} from "../../src/lib/triggers.ts";

export const registeredTimer = <D>(timer: TimerFunction<D>, dependencies: D): TimerFunctionOptions =>
  onlyRegistration((register) =>
    registerTimerFunctions({ timer: register }, dependencies, { underTest: timer }),
  );

export const registeredQueue = <D>(queue: QueueFunction<D>, dependencies: D): StorageQueueFunctionOptions =>
  onlyRegistration((register) =>
    registerQueueFunctions({ storageQueue: register }, dependencies, { underTest: queue }),
  );

function onlyRegistration<T>(registerAll: (register: (name: string, options: T) => void) => void): T {
  const registered: T[] = [];
  registerAll((_, options) => void registered.push(options));
  const [entry] = registered;
  if (entry === undefined) throw new Error("no trigger was registered");
  return entry;
}
