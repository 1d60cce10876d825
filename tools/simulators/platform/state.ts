/** The state of the simulated platform, with or without sockets. */
import { createFaults } from "../services/faults.ts";
import { createConferences } from "./conferences.ts";
import { createEventSink } from "./event-sink.ts";
import { createAlarms, createLiveConferences } from "./live.ts";

export type PlatformState = ReturnType<typeof createPlatformState>;

/** What the platform does while it is down. */
export type DownMode = "refuse" | "reset" | "503";

const usualSwitches = { maxPageSize: 1000, latencyMilliseconds: 0, nodeDelaySeconds: 0 };

/** Creates an empty platform, whose `now` returns milliseconds since 1970. */
export function createPlatformState(now: () => number) {
  const switches = { ...usualSwitches };
  const sink = createEventSink(now);
  const parts = {
    conferences: createConferences(now, () => switches.nodeDelaySeconds),
    live: createLiveConferences(now, sink.emit),
    alarms: createAlarms(now),
    sink,
    faults: createFaults(),
    requestLog: createRequestLog(),
  };
  const outage: { mode: DownMode | undefined } = { mode: undefined };
  return {
    ...parts,
    switches,
    outage,
    /** Empties the platform and resets its switches, but does not bring it up. */
    reset: (): void => {
      for (const part of Object.values(parts)) part.clear();
      Object.assign(switches, usualSwitches);
    },
  };
}

/** Counts the calls that the Management API received. */
function createRequestLog() {
  const byRoute = new Map<string, number>();
  return {
    counts: () => ({
      total: [...byRoute.values()].reduce((sum, count) => sum + count, 0),
      /** By method and path with ids as `{id}`, for example `GET /api/admin/configuration/v1/conference/{id}/`. */
      byRoute: Object.fromEntries(byRoute),
    }),
    add: (method: string, path: string): void => {
      const route = `${method} ${path.replace(/\/\d+\/$/, "/{id}/")}`;
      byRoute.set(route, (byRoute.get(route) ?? 0) + 1);
    },
    clear: () => byRoute.clear(),
  };
}
