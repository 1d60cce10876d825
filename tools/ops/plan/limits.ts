/** What the parts of a deployment can carry, in rooms per hour, and which limit is reached first. */

/** The input of a plan: the load, the platform, and the gateway's settings. */
export interface Scenario {
  /** Rooms handed out per hour, averaged over the busiest day. */
  readonly perHour: number;
  /** The rate of the busiest minutes, as a multiple of the average. */
  readonly peak: number;
  /** At most one caller in this many may find the pool empty. */
  readonly oneIn: number;
  /** Time from the hand-out of a room to the end of its conference. */
  readonly conferenceMinutes: number;
  /** Calls about a room after its create: reads and changes by consumers and agents. */
  readonly callsPerRoom: number;
  /** Mean time that the platform works on one call. */
  readonly callMilliseconds: number;
  /** Calls that the platform works on at once. */
  readonly callSlots: number;
  /** Calls that the platform accepts per minute. */
  readonly callsPerMinute: number;
  /** `POOL_READY_DELAY_SECONDS`. */
  readonly readyDelaySeconds: number;
  /** `PLATFORM_MAX_CONCURRENCY`. */
  readonly maxConcurrency: number;
  /** `GC_MAX_MESSAGES`. */
  readonly gcMaxMessages: number;
  /** The value `MAXIMUM_INSTANCE_COUNT` of the deployment. */
  readonly instances: number;
}

export const defaultScenario: Scenario = {
  perHour: 400,
  peak: 3,
  oneIn: 10_000,
  conferenceMinutes: 15,
  callsPerRoom: 1,
  callMilliseconds: 200,
  callSlots: 5,
  callsPerMinute: 1000,
  readyDelaySeconds: 90,
  maxConcurrency: 5,
  gcMaxMessages: 20,
  instances: 4,
};

export interface Limit {
  readonly part: string;
  /** The maximum number of rooms per hour that this part can carry. */
  readonly roomsPerHour: number;
  /** Whether the limit applies to the busiest minutes, or to the average because the work can wait. */
  readonly applies: "peak" | "average";
  /** The limit divided by the demand. Below 1, the part is overloaded. */
  readonly headroom: number;
  readonly consequence: string;
  readonly remedy: string;
}

interface Pool {
  readonly size: number;
  /** What the pool can carry at the peak. */
  readonly perHour: number;
}

/** What one room costs. */
const costOfRoom = {
  /** Platform calls when it is handed out: two of the claim, and one that provisions the replacement. */
  handOutCalls: 3,
  /** Platform calls of the collector. */
  collectionCalls: 3,
} as const;

// The default of the deployment (docs/specification.md 8.11).
const callsPerMinuteAndClient = 600;
// docs/specification.md 8.4 and 8.13; src/lib/pool/collection.ts starts no room after 400 s.
const collectorRunsPerHour = 6;
const collectorRunSeconds = 400;
const maxCollectorMessages = 1000;
const collectorStorageSeconds = 0.02;
/** From the end of a conference to the deletion of its room, if the collector keeps up. */
const collectionMinutes = 20;
const rowsPerPage = 500;
// The required margin above the load, because the number of calls varies from minute to minute.
export const requiredHeadroom = 1.1;

/** Returns the maximum number of messages that one run of the collector can handle in its time. */
export function collectorCapacity({ callMilliseconds }: Scenario): number {
  const secondsPerRoom = (costOfRoom.collectionCalls * callMilliseconds) / 1000 + collectorStorageSeconds;
  return Math.min(maxCollectorMessages, Math.floor(collectorRunSeconds / secondsPerRoom));
}

/** Returns the number of rooms on the platform: pooled, in use, and waiting for the collector. */
export function roomsOnPlatform(scenario: Scenario, poolSize: number, perHour: number): number {
  return Math.round(poolSize + (perHour * (scenario.conferenceMinutes + collectionMinutes)) / 60);
}

/** Returns whether one gateway can carry the load with a pool that is large enough. */
export function isEnough(scenario: Scenario): boolean {
  const limits = findLimits(scenario, { size: 0, perHour: Number.POSITIVE_INFINITY });
  return limits.every(({ headroom }) => headroom >= requiredHeadroom);
}

/** Returns the limits of one gateway and its platform, the tightest first. */
export function findLimits(scenario: Scenario, pool: Pool): readonly Limit[] {
  const peak = scenario.perHour * scenario.peak;
  return limitsOf(scenario, pool)
    .map((row) => ({
      ...row,
      headroom: row.roomsPerHour / (row.applies === "peak" ? peak : scenario.perHour),
    }))
    .toSorted((one, other) => one.headroom - other.headroom);
}

function limitsOf(scenario: Scenario, pool: Pool): readonly Omit<Limit, "headroom">[] {
  const { callMilliseconds, callSlots, callsPerMinute, callsPerRoom, gcMaxMessages } = scenario;
  const maxMessages = collectorCapacity(scenario);
  const accumulates = "ended rooms accumulate on the platform";
  const provisioningCalls = Math.min(
    callSlots,
    scenario.instances * Math.max(1, scenario.maxConcurrency - 2),
  );
  const perHourAndSlot = 3_600_000 / callMilliseconds;
  const collectingPerMinute = collectorCallsPerMinute(scenario);
  const collectingPerHour = collectorRunsPerHour * maxMessages * costOfRoom.collectionCalls;
  return [
    {
      part: `pool of ${pool.size} rooms`,
      roomsPerHour: pool.perHour,
      applies: "peak",
      consequence: `more than 1 in ${whole(scenario.oneIn)} callers get 404`,
      remedy: "raise MAX_VMR",
    },
    {
      part: `collector, GC_MAX_MESSAGES ${gcMaxMessages}`,
      roomsPerHour: collectorRunsPerHour * gcMaxMessages,
      applies: "average",
      consequence: accumulates,
      remedy: "raise GC_MAX_MESSAGES",
    },
    {
      part: `collector, ${maxMessages} rooms per run`,
      roomsPerHour: collectorRunsPerHour * maxMessages,
      applies: "average",
      consequence: accumulates,
      remedy: "split",
    },
    {
      part: `provisioning, ${provisioningCalls} calls at a time`,
      roomsPerHour: provisioningCalls * perHourAndSlot,
      applies: "peak",
      consequence: "replacements wait, and the pool runs empty",
      remedy: "split",
    },
    {
      part: `platform, ${whole(callsPerMinute)} calls per minute`,
      roomsPerHour: roomsWithin(scenario, pool, {
        calls: callsPerMinute * 60,
        collecting: 60 * collectingPerMinute,
      }),
      applies: "peak",
      consequence: "the platform returns 429, and callers get 503",
      remedy: "split",
    },
    {
      part: `platform, ${callSlots} calls at a time`,
      roomsPerHour: roomsWithin(scenario, pool, {
        calls: callSlots * perHourAndSlot,
        collecting: collectingPerHour,
      }),
      applies: "peak",
      consequence: "calls wait, and callers get 503 after 20 s",
      remedy: "split",
    },
    {
      part: `API Management, ${callsPerMinuteAndClient} calls per minute and client`,
      roomsPerHour: (callsPerMinuteAndClient * 60) / (1 + callsPerRoom),
      applies: "peak",
      consequence: "the client gets 429",
      remedy: "raise callsPerMinutePerClient",
    },
  ];
}

const whole = (value: number): string => value.toLocaleString("en-US");

/** Returns the maximum of GC_MAX_MESSAGES that leaves enough calls for callers in the minutes of a collector run. */
export function messagesBesideCallers(scenario: Scenario, poolSize: number): number {
  const others = requiredHeadroom * handOutCallsPerMinute(scenario) + timerCallsPerMinute(scenario, poolSize);
  const left = scenario.callsPerMinute - others;
  if (60_000 / scenario.callMilliseconds <= left) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(left / costOfRoom.collectionCalls));
}

/**
 * Returns the number of rooms per hour for which this number of platform calls is enough, without those of the
 * collector.
 */
function roomsWithin(
  scenario: Scenario,
  { size }: Pool,
  { calls, collecting }: { calls: number; collecting: number },
): number {
  const left = calls - collecting - 60 * timerCallsPerMinute(scenario, size);
  return Math.max(0, left) / (costOfRoom.handOutCalls + scenario.callsPerRoom);
}

function handOutCallsPerMinute({ perHour, peak, callsPerRoom }: Scenario): number {
  return (perHour * peak * (costOfRoom.handOutCalls + callsPerRoom)) / 60;
}

/** Platform calls of the collector in a minute of its run, which makes them one by one and only as many as it needs. */
function collectorCallsPerMinute({ gcMaxMessages, callMilliseconds }: Scenario): number {
  return Math.min(gcMaxMessages * costOfRoom.collectionCalls, 60_000 / callMilliseconds);
}

/** Platform calls of the timers: lists of all rooms, of the running conferences, and of the alarms. */
function timerCallsPerMinute(scenario: Scenario, poolSize: number): number {
  const peak = scenario.perHour * scenario.peak;
  const pages = (rows: number): number => Math.max(1, Math.ceil(rows / rowsPerPage));
  const rooms = pages(roomsOnPlatform(scenario, poolSize, peak));
  const live = pages((peak * scenario.conferenceMinutes) / 60);
  return (rooms + live + 1) / 5 + rooms / 10;
}
