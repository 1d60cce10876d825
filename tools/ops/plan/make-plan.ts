/** Plans a pool by the closed formula: its size, the limits, and the settings to use. */
import { largestLoad, smallestPool } from "./erlang.ts";

/** The input of a plan: the load, the platform, and the gateway's settings. */
export interface Scenario {
  /** Rooms handed out per hour, averaged over the busiest day. */
  readonly perHour: number;
  /** The rate of the busiest minutes, as a multiple of the average. */
  readonly peak: number;
  /** At most one caller in this many may find the pool empty. */
  readonly oneIn: number;
  /** Mean time that the platform works on one call. */
  readonly callMilliseconds: number;
  /** Calls that the platform works on at once. */
  readonly callSlots: number;
  /** Calls that the platform accepts per minute. */
  readonly callsPerMinute: number;
  /** `POOL_READY_DELAY_SECONDS`. */
  readonly readyDelaySeconds: number;
  /** `GC_MAX_MESSAGES`. */
  readonly gcMaxMessages: number;
  /** Mean minutes from the hand-out of a room to the end of its conference. */
  readonly conferenceMinutes: number;
}

export const defaultScenario: Scenario = {
  perHour: 400,
  peak: 3,
  oneIn: 10_000,
  callMilliseconds: 200,
  callSlots: 5,
  callsPerMinute: 1000,
  readyDelaySeconds: 90,
  gcMaxMessages: 20,
  conferenceMinutes: 15,
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

export interface Plan {
  /** The load of the whole service. */
  readonly total: { readonly perHour: number; readonly peakPerHour: number; readonly perDay: number };
  /** The number of gateways, each with its platform and storage account, that share the load evenly. */
  readonly gateways: number;
  /** The load and settings of each gateway. The fields below also apply to each gateway. */
  readonly scenario: Scenario;
  /** Mean seconds from a claim to the moment when its replacement can be claimed. */
  readonly leadSeconds: number;
  readonly rooms: number;
  readonly roomsOnPlatform: number;
  readonly settings: {
    readonly MAX_VMR: number;
    readonly POOL_MINIMUM: number;
    readonly GC_MAX_MESSAGES: number;
  };
  /** The tightest limit first, with the present settings of the whole service in one gateway. */
  readonly limits: readonly Limit[];
  /** The tightest limit of each of several gateways with the planned settings, apart from the pool's, which is chosen. */
  readonly limitAfterSplit: Limit | undefined;
}

/** Platform calls per room: two of the claim, one that provisions the replacement, and one later read or change. */
const callsPerRoom = 4;
/** In the run that deletes it. An earlier run may look the room up once, when its message is too young. */
const collectorCallsPerRoom = 3;
// docs/specification.md 8.4 and 8.13; src/lib/deletion/collection.ts starts no room after 400 s.
const collectorRunsPerHour = 6;
const collectorRunSeconds = 400;
const maxCollectorMessages = 1000;
const collectorStorageSeconds = 0.02;
/** The maximum minutes from the end of a conference to the deletion of its room: `GC_MINIMUM_AGE_SECONDS`, and a timer. */
export const deletionMinutes = 20;
// The default of the deployment (docs/specification.md 8.11); a create and one later call per room.
const callsPerMinuteAndClient = 600;
const clientCallsPerRoom = 2;
// The required margin above the load, because the number of calls varies from minute to minute.
const requiredHeadroom = 1.1;
const maxGateways = 1000;
const pollSeconds = 1;
const unlimitedPool = { size: 0, perHour: Number.POSITIVE_INFINITY };

/**
 * Makes the plan. `maxRooms` is the present pool size, if the plan is to say what it can carry. Throws an Error if no
 * number of gateways is enough.
 */
export function makePlan(whole: Scenario, maxRooms?: number): Plan {
  const gateways = gatewaysFor(whole);
  const scenario = planSettings({ ...whole, perHour: whole.perHour / gateways });
  // A pool is one room short after a claim for the ready delay, a poll of the host, and three calls.
  const leadSeconds = scenario.readyDelaySeconds + pollSeconds + (3 * scenario.callMilliseconds) / 1000;
  const peak = scenario.perHour * scenario.peak;
  const load = (peak * leadSeconds) / 3600;
  const rooms = smallestPool(load, 1 / scenario.oneIn);
  const poolSize = maxRooms ?? rooms * gateways;
  const poolPerHour = (largestLoad(poolSize, 1 / scenario.oneIn) / leadSeconds) * 3600;
  return {
    total: { perHour: whole.perHour, peakPerHour: whole.perHour * whole.peak, perDay: whole.perHour * 24 },
    gateways,
    scenario,
    leadSeconds,
    rooms,
    roomsOnPlatform: Math.round(rooms + (peak * (scenario.conferenceMinutes + deletionMinutes)) / 60),
    settings: { MAX_VMR: rooms, POOL_MINIMUM: rooms, GC_MAX_MESSAGES: scenario.gcMaxMessages },
    limits: findLimits(whole, { size: poolSize, perHour: poolPerHour }),
    limitAfterSplit: gateways > 1 ? findLimits(scenario, unlimitedPool)[0] : undefined,
  };
}

/** Returns the smallest number of gateways for which no limit but the pool's is exceeded. */
function gatewaysFor(scenario: Scenario): number {
  for (let gateways = 1; gateways <= maxGateways; gateways++) {
    const share = planSettings({ ...scenario, perHour: scenario.perHour / gateways });
    if (findLimits(share, unlimitedPool).every(({ headroom }) => headroom >= requiredHeadroom))
      return gateways;
  }
  throw new Error(`not even ${maxGateways} gateways can carry ${scenario.perHour} rooms per hour`);
}

/**
 * Returns the scenario with enough messages per run of the collector to keep up with the peak, if a run has time for
 * them and leaves callers their calls; otherwise with enough for the average.
 */
export function planSettings(scenario: Scenario): Scenario {
  const needed = scenario.perHour * requiredHeadroom;
  const forPeak = Math.ceil((needed * scenario.peak) / 60) * 10;
  const forAverage = Math.ceil(needed / collectorRunsPerHour);
  const capacity = collectorCapacity(scenario);
  const callsLeft = scenario.callsPerMinute - (needed * scenario.peak * callsPerRoom) / 60;
  // The collector makes one call after another, so a slow platform limits it anyway.
  const isSlow = 60_000 / scenario.callMilliseconds <= callsLeft;
  const besideCallers = isSlow ? capacity : Math.floor(callsLeft / collectorCallsPerRoom);
  const possible = Math.min(forPeak, capacity, besideCallers);
  const least = defaultScenario.gcMaxMessages;
  return { ...scenario, gcMaxMessages: Math.min(capacity, Math.max(possible, forAverage, least)) };
}

/** Returns the maximum number of rooms that one run of the collector can handle in its time. */
function collectorCapacity({ callMilliseconds }: Scenario): number {
  const secondsPerRoom = (collectorCallsPerRoom * callMilliseconds) / 1000 + collectorStorageSeconds;
  return Math.min(maxCollectorMessages, Math.floor(collectorRunSeconds / secondsPerRoom));
}

/** Returns the limits of one gateway and its platform, the tightest first. */
export function findLimits(scenario: Scenario, pool: { size: number; perHour: number }): readonly Limit[] {
  const { callMilliseconds, callSlots, callsPerMinute, gcMaxMessages } = scenario;
  const runCapacity = collectorCapacity(scenario);
  const collecting = {
    perMinute: Math.min(gcMaxMessages * collectorCallsPerRoom, 60_000 / callMilliseconds),
    perHour: collectorRunsPerHour * runCapacity * collectorCallsPerRoom,
  };
  const accumulates = "ended rooms accumulate on the platform";
  const limits: readonly Omit<Limit, "headroom">[] = [
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
      part: `collector, ${runCapacity} rooms per run`,
      roomsPerHour: collectorRunsPerHour * runCapacity,
      applies: "average",
      consequence: accumulates,
      remedy: "split",
    },
    {
      part: `platform, ${whole(callsPerMinute)} calls per minute`,
      roomsPerHour: Math.max(0, 60 * (callsPerMinute - collecting.perMinute)) / callsPerRoom,
      applies: "peak",
      consequence: "the platform returns 429, and callers get 503",
      remedy: "split",
    },
    {
      part: `platform, ${callSlots} calls at a time`,
      roomsPerHour:
        Math.max(0, (callSlots * 3_600_000) / callMilliseconds - collecting.perHour) / callsPerRoom,
      applies: "peak",
      consequence: "calls wait, and callers get 503 after 20 s",
      remedy: "split",
    },
    {
      part: `API Management, ${callsPerMinuteAndClient} calls per minute and client`,
      roomsPerHour: (callsPerMinuteAndClient * 60) / clientCallsPerRoom,
      applies: "peak",
      consequence: "the client gets 429",
      remedy: "raise callsPerMinutePerClient",
    },
  ];
  const peak = scenario.perHour * scenario.peak;
  return limits
    .map((limit) => ({
      ...limit,
      headroom: limit.roomsPerHour / (limit.applies === "peak" ? peak : scenario.perHour),
    }))
    .toSorted((one, other) => one.headroom - other.headroom);
}

const whole = (value: number): string => value.toLocaleString("en-US");
