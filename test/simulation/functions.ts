/** The functions of the app, registered for one simulated process. Every file of src/functions exports one function. */
import { readdir } from "node:fs/promises";
import type { HttpHandler, StorageQueueHandler, TimerHandler } from "@azure/functions";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import {
  type QueueFunction,
  registerHttpFunctions,
  registerQueueFunctions,
  registerTimerFunctions,
  type TimerFunction,
} from "../../src/lib/http/triggers.ts";

export interface Handlers {
  readonly http: ReadonlyMap<string, HttpHandler>;
  readonly timers: ReadonlyMap<string, TimerHandler>;
  readonly queues: ReadonlyMap<string, StorageQueueHandler>;
}

const folder = new URL("../../src/functions/", import.meta.url);

export const httpFunctions = await load<HttpFunction<Dependencies>>(/^[\w-]+\.ts$/);
const timerFunctions = await load<TimerFunction<Dependencies>>(/\.timer\.ts$/);
const queueFunctions = await load<QueueFunction<Dependencies>>(/\.queue\.ts$/);

/** The exports of all files with such a name, by the name that each has in its file. */
async function load<Definition>(fileName: RegExp): Promise<Readonly<Record<string, Definition>>> {
  const files = (await readdir(folder)).filter((file) => fileName.test(file)).toSorted();
  const modules: object[] = await Promise.all(files.map(async (file) => import(new URL(file, folder).href)));
  return Object.assign({}, ...modules) as Record<string, Definition>;
}

/** Returns the handlers that the host would get. */
export function registerFunctions(dependencies: Dependencies): Handlers {
  const http = new Map<string, HttpHandler>();
  const timers = new Map<string, TimerHandler>();
  const queues = new Map<string, StorageQueueHandler>();
  const app = {
    http: (name: string, { handler }: { handler: HttpHandler }) => void http.set(name, handler),
    timer: (name: string, { handler }: { handler: TimerHandler }) => void timers.set(name, handler),
    storageQueue: (name: string, { handler }: { handler: StorageQueueHandler }) =>
      void queues.set(name, handler),
  };
  registerHttpFunctions(app, dependencies, httpFunctions);
  registerTimerFunctions(app, dependencies, timerFunctions);
  registerQueueFunctions(app, dependencies, queueFunctions);
  return { http, timers, queues };
}
