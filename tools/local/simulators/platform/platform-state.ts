/** The state of one simulated platform. */
import { createEventSink } from "./events/event-sink.ts";
import { createLiveConferences } from "./events/live-conferences.ts";
import { createAlarms } from "./model/alarms.ts";
import { createAliases } from "./model/aliases.ts";
import { createClock } from "./model/clock.ts";
import type { Conference } from "./model/conference.ts";
import { createTable } from "./model/table.ts";
import type { SimulatorOptions } from "./platform-options.ts";
import { type Behaviours, defaultBehaviours } from "./switches/behaviours.ts";
import { createFaults } from "./switches/faults.ts";
import { createRateLimit } from "./switches/rate-limit.ts";
import { createRequestLog } from "./switches/request-log.ts";

export type PlatformState = ReturnType<typeof createPlatformState>;

/** Returns the behaviours at start and after a reset. */
export function initialBehaviours(options: SimulatorOptions): Behaviours {
  const { minPinLength, requestLimitPerMinute } = options;
  return {
    ...defaultBehaviours,
    ...(minPinLength === undefined ? {} : { minPinLength }),
    ...(requestLimitPerMinute === undefined ? {} : { requestLimitPerMinute }),
  };
}

/** Creates an empty platform. */
export function createPlatformState(options: SimulatorOptions) {
  const clock = createClock(options.now);
  const random = options.random ?? Math.random;
  const alarms = createAlarms(clock);
  const sink = createEventSink(clock, alarms);
  const behaviours = initialBehaviours(options);
  const deletions = new Map<string, number>();
  return {
    clock,
    /** Changed in place by the control API. */
    behaviours,
    conferences: createTable<Conference>((row) => row.name),
    aliases: createAliases(clock),
    live: createLiveConferences(clock, sink.emit),
    alarms,
    sink,
    faults: createFaults(random),
    requestLog: createRequestLog(),
    rateLimit: createRateLimit(clock.now),
    /** Names of deleted rooms that conferencing nodes still know, with the time of deletion. */
    deletions,
    recordDeletion: (name: string) => {
      if (behaviours.replicationSeconds > 0) deletions.set(name, clock.now());
    },
  };
}
