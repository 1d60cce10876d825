/** The control functions over HTTP, under `/control/`. */
import * as z from "zod";
import type { LoopbackRequest, Reply } from "../../loopback-server.ts";
import { sinkChangesSchema } from "../events/event-post.ts";
import { ApiError } from "../model/api-error.ts";
import { behaviourChangesSchema } from "../switches/behaviours.ts";
import { faultSchema, latencySchema } from "../switches/faults.ts";
import {
  alarmSchema,
  endSchema,
  joinSchema,
  leaveSchema,
  type PlatformControl,
  startSchema,
} from "./platform-control.ts";
import { seedSchema } from "./seed.ts";

export type DownMode = "refuse" | "reset" | "503";

export interface Reachability {
  readonly goDown: (mode?: DownMode) => Promise<void>;
  readonly goUp: () => Promise<void>;
  /** How the platform is down, or undefined while it is up. */
  readonly downMode: () => DownMode | undefined;
}

const downSchema = z.strictObject({ mode: z.enum(["refuse", "reset", "503"]).default("refuse") });
const clockSchema = z.strictObject({ advanceSeconds: z.number() });

/** Creates the handler. It returns 200 with JSON, 204 if there is no result, and 400 with the reason for invalid input. */
export function createControlRoutes(
  control: PlatformControl,
  reachability: Reachability,
): (request: LoopbackRequest) => Promise<Reply> {
  const routes: Record<string, (body: unknown, query: URLSearchParams) => unknown> = {
    "POST /control/latency": (body) => control.setLatency(latencySchema.parse(body)),
    "POST /control/faults": (body) => ({ id: control.addFault(faultSchema.parse(body)) }),
    "DELETE /control/faults": (_, query) => {
      const id = query.get("id");
      control.clearFaults(id === null ? undefined : Number(id));
    },
    "POST /control/down": (body) => reachability.goDown(downSchema.parse(body).mode),
    "POST /control/up": () => reachability.goUp(),
    "POST /control/behaviour": (body) => control.setBehaviour(behaviourChangesSchema.parse(body)),
    "POST /control/clock": (body) => control.advanceClock(clockSchema.parse(body).advanceSeconds),
    "POST /control/conferences/start": (body) => ({ id: control.startConference(startSchema.parse(body)) }),
    "POST /control/conferences/join": (body) => ({ id: control.joinConference(joinSchema.parse(body)) }),
    "POST /control/conferences/leave": (body) => control.leaveConference(leaveSchema.parse(body)),
    "POST /control/conferences/end": (body) => control.endConference(endSchema.parse(body)),
    "POST /control/alarms": (body) => ({ id: control.raiseAlarm(alarmSchema.parse(body)) }),
    "DELETE /control/alarms": (_, query) => control.clearAlarms(query.get("name") ?? undefined),
    "GET /control/state": () => ({ down: reachability.downMode() ?? null, ...control.switches() }),
    "GET /control/rooms": () => control.rooms(),
    "POST /control/rooms": (body) => ({ ids: control.seedRooms(seedSchema.parse(body)) }),
    "GET /control/requests": () => control.requests(),
    "GET /control/sink": () => control.sinkState(),
    "POST /control/sink": (body) => control.configureSink(sinkChangesSchema.parse(body)),
    "POST /control/reset": () => {
      control.reset();
      return reachability.goUp();
    },
  };

  return async ({ method, url, body }) => {
    const run = routes[`${method} ${url.pathname.replace(/\/$/, "")}`];
    if (!run) return { status: 404, body: { error: "There is no such control." } };
    try {
      const input: unknown = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
      const result = await run(input, url.searchParams);
      return result === undefined ? { status: 204 } : { status: 200, body: result };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: error.body };
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      if (error instanceof SyntaxError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}
