/** The gateway's functions as the host gets them, without a host. */
import { readdir } from "node:fs/promises";
import type { HttpHandler, StorageQueueHandler, Timer, TimerHandler } from "@azure/functions";
import type { Dependencies } from "../../../src/lib/dependencies.ts";
import type { HttpFunction } from "../../../src/lib/http/contract.ts";
import {
  type QueueFunction,
  registerFunctions as register,
  type TimerFunction,
} from "../../../src/lib/triggers.ts";

const folder = new URL("../../../src/functions/", import.meta.url);

export const httpFunctions = await load<HttpFunction<Dependencies>>(/^[\w-]+\.ts$/);
const timerFunctions = await load<TimerFunction<Dependencies>>(/\.timer\.ts$/);
const queueFunctions = await load<QueueFunction<Dependencies>>(/\.queue\.ts$/);

/** The names of all functions. */
export const functionNames = [httpFunctions, timerFunctions, queueFunctions].flatMap(Object.keys).toSorted();

/** The exports of all files with such a name, by the name that each has in its file. */
async function load<Definition>(fileName: RegExp): Promise<Readonly<Record<string, Definition>>> {
  const files = (await readdir(folder)).filter((file) => fileName.test(file)).toSorted();
  const modules: object[] = await Promise.all(files.map(async (file) => import(new URL(file, folder).href)));
  return Object.assign({}, ...modules) as Record<string, Definition>;
}

/** The argument that the host passes to a timer's handler. */
export const aTimer: Timer = {
  isPastDue: false,
  schedule: { adjustForDST: true },
  scheduleStatus: { last: "", next: "", lastUpdated: "" },
};

/** Returns the handlers that the host would get. */
export function registerFunctions(dependencies: Dependencies) {
  const http = new Map<string, HttpHandler>();
  const timers = new Map<string, TimerHandler>();
  const queues = new Map<string, StorageQueueHandler>();
  const app = {
    http: (name: string, { handler }: { handler: HttpHandler }) => void http.set(name, handler),
    timer: (name: string, { handler }: { handler: TimerHandler }) => void timers.set(name, handler),
    storageQueue: (name: string, { handler }: { handler: StorageQueueHandler }) =>
      void queues.set(name, handler),
  };
  register(app, dependencies, { http: httpFunctions, timers: timerFunctions, queues: queueFunctions });
  return { http, timers, queues };
}
