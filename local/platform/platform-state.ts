/** Everything that one simulated platform holds. */
import { type Alarms, createAlarms } from "./alarms.ts";
import { type Aliases, createAliases } from "./aliases.ts";
import { type Behaviours, defaultBehaviours } from "./behaviours.ts";
import { type Clock, createClock } from "./clock.ts";
import type { Conference } from "./conference.ts";
import { createEventSink, type EventSink } from "./event-sink.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createLiveConferences, type LiveConferences } from "./live-conferences.ts";
import type { SimulatorOptions } from "./platform-options.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import { createRequestLog, type RequestLog } from "./request-log.ts";
import { createSimpleTables, type SimpleTables } from "./simple-resources.ts";
import { createTable, type Table } from "./table.ts";

export interface PlatformState {
  clock: Clock;
  /** Changed in place by the control API. */
  behaviours: Behaviours;
  conferences: Table<Conference>;
  aliases: Aliases;
  simple: SimpleTables;
  live: LiveConferences;
  alarms: Alarms;
  sink: EventSink;
  faults: Faults;
  requestLog: RequestLog;
  rateLimit: RateLimit;
  /** Addresses of the conferencing nodes. */
  nodes: Set<string>;
  /** Names of deleted rooms that conferencing nodes still know, with the time of the delete. */
  deletions: Map<string, number>;
  recordDeletion: (name: string) => void;
}

/** The behaviours with which the simulator starts, and to which a reset returns. */
export function initialBehaviours(options: SimulatorOptions): Behaviours {
  const { minimumPinLength, requestLimitPerMinute } = options;
  return {
    ...defaultBehaviours,
    ...(minimumPinLength === undefined ? {} : { minimumPinLength }),
    ...(requestLimitPerMinute === undefined ? {} : { requestLimitPerMinute }),
  };
}

/** An empty platform with three conferencing nodes, one location, one theme and one automatic participant. */
export function createPlatformState(options: SimulatorOptions): PlatformState {
  const clock = createClock(options.now);
  const random = options.random ?? Math.random;
  const alarms = createAlarms(clock);
  const sink = createEventSink({ sink: options.eventSink, clock, alarms, random });
  const behaviours = initialBehaviours(options);
  const deletions = new Map<string, number>();
  return {
    clock,
    behaviours,
    conferences: createTable((row) => row.name),
    aliases: createAliases(clock),
    simple: createSimpleTables(clock),
    live: createLiveConferences(clock, sink.emit),
    alarms,
    sink,
    faults: createFaults(random),
    requestLog: createRequestLog(),
    rateLimit: createRateLimit(clock.now),
    nodes: new Set(["10.0.0.21", "10.0.0.22", "10.0.0.23"]),
    deletions,
    recordDeletion: (name) => {
      if (behaviours.replicationSeconds > 0) deletions.set(name, clock.now());
    },
  };
}
