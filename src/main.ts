/** The whole app on one page: settings, dependencies, and every function with its trigger. */
import { app } from "@azure/functions";
import { bulkCreateRooms } from "./functions/bulk-create-rooms.ts";
import { bulkDeleteRooms } from "./functions/bulk-delete-rooms.ts";
import { collectGarbage } from "./functions/collect-garbage.timer.ts";
import { collectMetrics } from "./functions/collect-metrics.timer.ts";
import { createRoom } from "./functions/create-room.ts";
import { createRoomFromQueue } from "./functions/create-room-from-queue.ts";
import { deleteRoom } from "./functions/delete-room.ts";
import { eventSink } from "./functions/event-sink.ts";
import { getPublicRoom } from "./functions/get-public-room.ts";
import { getRoom } from "./functions/get-room.ts";
import { healthCheck } from "./functions/health-check.ts";
import { listRooms } from "./functions/list-rooms.ts";
import { provisionRoom } from "./functions/provision-room.queue.ts";
import { updateRoom } from "./functions/update-room.ts";
import { createAdapters, createDependencies } from "./lib/dependencies.ts";
import { loadSettings } from "./lib/settings/settings.ts";
import { registerFunctions } from "./lib/triggers.ts";

// Throws if a setting is invalid: the deployment fails with the list of faults instead of starting half an app.
const settings = loadSettings(process.env);
if (settings.unknownNames.length > 0)
  // oxlint-disable-next-line no-console -- No invocation, whose log would be used, has begun.
  console.warn(JSON.stringify({ event: "settings-unknown", names: settings.unknownNames.join(", ") }));
const adapters = createAdapters(settings);
const dependencies = createDependencies(settings, adapters);

// The first caller of an instance need not wait for keys and the app's own token, and the start does not wait either.
app.hook.appStart(() => void adapters.prefetch());

registerFunctions(app, dependencies, {
  http: {
    createRoomFromQueue, // POST   room/create
    getRoom, //             GET    room/{room_name}
    updateRoom, //          PATCH  room/{room_name}
    deleteRoom, //          DELETE room/{room_name}
    listRooms, //           GET    room/list
    createRoom, //          POST   room/create/old
    bulkCreateRooms, //     POST   room/bulk/
    bulkDeleteRooms, //     DELETE room/bulk/
    getPublicRoom, //       GET    public/room/{room_name}
    eventSink, //           POST   public/event_sink
    healthCheck, //         GET    public/health
  },
  timers: {
    collectGarbage, // 0 */10 * * * *
    collectMetrics, // 0 */5 * * * *, and on startup
  },
  queues: {
    provisionRoom, // room-provisioning-queue
  },
});
