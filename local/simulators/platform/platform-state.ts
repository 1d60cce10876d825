/** The state of one simulated platform. */
import { createEventSink, type EventSink } from "./events/event-sink.ts";
import { createLiveConferences, type LiveConferences } from "./events/live-conferences.ts";
import { type Alarms, createAlarms } from "./model/alarms.ts";
import { type Aliases, createAliases } from "./model/aliases.ts";
import { type Clock, createClock } from "./model/clock.ts";
import type { Conference } from "./model/conference.ts";
import { createTable, type Table } from "./model/table.ts";
import type { SimulatorOptions } from "./platform-options.ts";
import { type Behaviours, defaultBehaviours } from "./switches/behaviours.ts";
import { createFaults, type Faults } from "./switches/faults.ts";
import { createRateLimit, type RateLimit } from "./switches/rate-limit.ts";
import { createRequestLog, type RequestLog } from "./switches/request-log.ts";

export interface PlatformState {
  readonly clock: Clock;
  /** Changed in place by the control API. */
  readonly behaviours: Behaviours;
  readonly conferences: Table<Conference>;
  readonly aliases: Aliases;
  readonly live: LiveConferences;
  readonly alarms: Alarms;
  readonly sink: EventSink;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  readonly rateLimit: RateLimit;
  /** Names of deleted rooms that conferencing nodes still know, with the time of deletion. */
  readonly deletions: Map<string, number>;
  readonly recordDeletion: (name: string) => void;
}

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
export function createPlatformState(options: SimulatorOptions): PlatformState {
  const clock = createClock(options.now);
  const random = options.random ?? Math.random;
  const alarms = createAlarms(clock);
  const sink = createEventSink({ sink: options.eventSink, clock, alarms });
  const behaviours = initialBehaviours(options);
  const deletions = new Map<string, number>();
  return {
    clock,
    behaviours,
    conferences: createTable((row) => row.name),
    aliases: createAliases(clock),
    live: createLiveConferences(clock, sink.emit),
    alarms,
    sink,
    faults: createFaults(random),
    requestLog: createRequestLog(),
    rateLimit: createRateLimit(clock.now),
    deletions,
    recordDeletion: (name) => {
      if (behaviours.replicationSeconds > 0) deletions.set(name, clock.now());
    },
  };
}
