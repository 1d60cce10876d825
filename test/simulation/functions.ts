/** The functions of the app, registered as src/main.ts registers them, for one simulated process. */
import type { HttpHandler, StorageQueueHandler, TimerHandler } from "@azure/functions";
import { bulkCreateRooms } from "../../src/functions/bulk-create-rooms.ts";
import { bulkDeleteRooms } from "../../src/functions/bulk-delete-rooms.ts";
import { collectGarbage } from "../../src/functions/collect-garbage.timer.ts";
import { collectMetrics } from "../../src/functions/collect-metrics.timer.ts";
import { createRoom } from "../../src/functions/create-room.ts";
import { createRoomFromQueue } from "../../src/functions/create-room-from-queue.ts";
import { deleteRoom } from "../../src/functions/delete-room.ts";
import { eventSink } from "../../src/functions/event-sink.ts";
import { getPublicRoom } from "../../src/functions/get-public-room.ts";
import { getRoom } from "../../src/functions/get-room.ts";
import { healthCheck } from "../../src/functions/health-check.ts";
import { listRooms } from "../../src/functions/list-rooms.ts";
import { provisionRoom } from "../../src/functions/provision-room.queue.ts";
import { updateRoom } from "../../src/functions/update-room.ts";
import { registerQueueFunctions } from "../../src/lib/background/queue-function.ts";
import { registerTimerFunctions } from "../../src/lib/background/timer-function.ts";
import { registerHttpFunctions } from "../../src/lib/http/handler.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";

export const httpFunctions = {
  createRoomFromQueue,
  createRoom,
  listRooms,
  getRoom,
  updateRoom,
  deleteRoom,
  bulkCreateRooms,
  bulkDeleteRooms,
  getPublicRoom,
  eventSink,
  healthCheck,
} as const;

export type HttpFunctionName = keyof typeof httpFunctions;

export interface Handlers {
  readonly http: ReadonlyMap<string, HttpHandler>;
  readonly timers: ReadonlyMap<string, TimerHandler>;
  readonly queues: ReadonlyMap<string, StorageQueueHandler>;
}

/** The handlers as the host would get them. */
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
  registerTimerFunctions(app, dependencies, { collectGarbage, collectMetrics });
  registerQueueFunctions(app, dependencies, { provisionRoom });
  return { http, timers, queues };
}
