/** Plans a pool by the closed formula: its size, the limits, and the settings to use. */
import { emptyShare, largestLoad, smallestPool } from "./erlang.ts";
import {
  collectorCapacity,
  defaultScenario,
  findLimits,
  isEnough,
  type Limit,
  messagesBesideCallers,
  requiredHeadroom,
  roomsOnPlatform,
  type Scenario,
} from "./limits.ts";

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
  /** How often pools of other sizes are empty: one in so many callers. */
  readonly chart: readonly { readonly rooms: number; readonly oneIn: number }[];
  /** The tightest limit first, with the present settings of the whole service in one gateway. */
  readonly limits: readonly Limit[];
}

const maxGateways = 1000;
const pollSeconds = 1;
const chartRows = 9;

/**
 * Makes the plan. With `maxVmr`, the present pool size, the plan says what it can carry. Throws an Error if no
 * number of gateways is enough.
 */
export function makePlan(whole: Scenario, maxVmr?: number): Plan {
  const gateways = gatewaysFor(whole);
  const scenario = planSettings({ ...whole, perHour: whole.perHour / gateways });
  const leadSeconds = leadTimeSeconds(scenario);
  const peak = scenario.perHour * scenario.peak;
  const load = (peak * leadSeconds) / 3600;
  const rooms = smallestPool(load, 1 / scenario.oneIn);
  const poolSize = maxVmr ?? rooms * gateways;
  const poolPerHour = (largestLoad(poolSize, 1 / scenario.oneIn) / leadSeconds) * 3600;
  return {
    total: { perHour: whole.perHour, peakPerHour: whole.perHour * whole.peak, perDay: whole.perHour * 24 },
    gateways,
    scenario,
    leadSeconds,
    rooms,
    roomsOnPlatform: roomsOnPlatform(scenario, rooms, peak),
    settings: { MAX_VMR: rooms, POOL_MINIMUM: rooms, GC_MAX_MESSAGES: scenario.gcMaxMessages },
    chart: chartSizes(rooms).map((size) => ({ rooms: size, oneIn: 1 / emptyShare(size, load) })),
    limits: findLimits(whole, { size: poolSize, perHour: poolPerHour }),
  };
}

/** Returns the time that a pool is one room short after a claim: the ready delay, a poll of the host, and three calls. */
function leadTimeSeconds({ readyDelaySeconds, callMilliseconds }: Scenario): number {
  return readyDelaySeconds + pollSeconds + (3 * callMilliseconds) / 1000;
}

/** Returns sizes around the planned one, which is among them. */
function chartSizes(planned: number): number[] {
  const step = Math.max(1, Math.round(planned / 25));
  const first = planned - step * Math.floor((2 * chartRows) / 3);
  return Array.from({ length: chartRows }, (_, row) => first + row * step).filter((size) => size > 0);
}

/**
 * Returns the scenario with enough messages per run of the collector to keep up with the peak, if a run has time for
 * them and leaves callers their calls; otherwise with enough for the average.
 */
export function planSettings(scenario: Scenario): Scenario {
  const needed = scenario.perHour * requiredHeadroom;
  const forPeak = Math.ceil((needed * scenario.peak) / 60) * 10;
  const forAverage = Math.ceil(needed / 6);
  const capacity = collectorCapacity(scenario);
  const possible = Math.min(forPeak, capacity, messagesBesideCallers(scenario, 0));
  const least = defaultScenario.gcMaxMessages;
  return { ...scenario, gcMaxMessages: Math.min(capacity, Math.max(possible, forAverage, least)) };
}

/** Returns the smallest number of gateways for which no limit but the pool's is exceeded. */
function gatewaysFor(scenario: Scenario): number {
  for (let gateways = 1; gateways <= maxGateways; gateways++)
    if (isEnough(planSettings({ ...scenario, perHour: scenario.perHour / gateways }))) return gateways;
  throw new Error(`not even ${maxGateways} gateways can carry ${scenario.perHour} rooms per hour`);
}
