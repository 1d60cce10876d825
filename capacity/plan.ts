/** Plans a pool: its size by formula and by simulation, what gives way first, and the settings to use. */
import { estimateShare, type ShareEstimate } from "./confidence.ts";
import { emptyShare, largestLoad, smallestPool } from "./erlang.ts";
import {
  collectorCapacity,
  findLimits,
  isEnough,
  type Limit,
  messagesBesideCallers,
  requiredHeadroom,
  roomsOnPlatform,
} from "./limits.ts";
import { defaultScenario, type Scenario } from "./scenario.ts";
import { runParts } from "./simulation/run-parts.ts";

export interface PlanOptions {
  readonly scenario: Scenario;
  /** The present pool size, if the plan is to say what it can carry. */
  readonly maxVmr?: number | undefined;
  /** Simulated callers in the run with the planned pool. */
  readonly callers: number;
  readonly seed: number;
  readonly onProgress?: (step: string) => void;
  readonly signal?: AbortSignal;
}

export interface SimulatedPool extends ShareEstimate {
  readonly rooms: number;
  /** The share that the formula expects. */
  readonly expected: number;
  /** Callers who got another error than an empty pool. */
  readonly failed: number;
}

export interface Plan {
  readonly seed: number;
  /** The load of the whole service. */
  readonly total: { readonly perHour: number; readonly peakPerHour: number; readonly perDay: number };
  /** The number of gateways, each with its platform and storage account, that share the load evenly. */
  readonly gateways: number;
  /** The load and settings of each gateway. What follows applies to each gateway, too. */
  readonly scenario: Scenario;
  /** Mean seconds from a claim to the moment when its replacement can be claimed, as simulated. */
  readonly leadSeconds: number;
  readonly formulaRooms: number;
  readonly rooms: number;
  /** A pool that is too small on purpose, to compare formula and simulation where both can be measured. */
  readonly comparison: SimulatedPool;
  /** The planned pool. */
  readonly simulation: SimulatedPool;
  readonly roomsOnPlatform: number;
  readonly settings: {
    readonly MAX_VMR: number;
    readonly POOL_MINIMUM: number;
    readonly GC_MAX_MESSAGES: number;
  };
  /** The first to give way first, with the present settings of the whole service in one gateway. */
  readonly limits: readonly Limit[];
}

/** Enough empty pools to measure their share well: one in a hundred callers. */
const comparedShare = 0.01;
const comparisonCallers = 0.4;
const maxRuns = 4;
const maxGateways = 1000;
const pollSeconds = 1;
/** The default of GC_MAX_MESSAGES. */
const defaultMessages = defaultScenario.gcMaxMessages;

/** Returns the lead time that the formula assumes before anything was simulated: delay, a poll, and three calls. */
export function nominalLeadSeconds({ readyDelaySeconds, callMilliseconds }: Scenario): number {
  return readyDelaySeconds + pollSeconds + (3 * callMilliseconds) / 1000;
}

/** What the formula alone plans for each gateway, without a simulation. */
export interface FormulaPlan {
  readonly gateways: number;
  readonly scenario: Scenario;
  readonly rooms: number;
  readonly roomsOnPlatform: number;
}

/** Plans by the formula. Throws an Error if no number of gateways is enough. */
export function planByFormula(whole: Scenario): FormulaPlan {
  const gateways = gatewaysFor(whole);
  const scenario = planSettings({ ...whole, perHour: whole.perHour / gateways });
  const peak = scenario.perHour * scenario.peak;
  const rooms = smallestPool((peak * nominalLeadSeconds(scenario)) / 3600, 1 / scenario.oneIn);
  return { gateways, scenario, rooms, roomsOnPlatform: roomsOnPlatform(scenario, rooms, peak) };
}

/** Makes the plan. The same options always make the same plan. Throws an Error if no number of gateways is enough. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { seed, callers, onProgress = () => undefined } = options;
  const maxShare = 1 / options.scenario.oneIn;
  const { gateways, scenario } = planByFormula(options.scenario);
  const perSecond = (scenario.perHour * scenario.peak) / 3600;

  async function simulate(rooms: number, run: { callers: number; seed: number }) {
    onProgress(`simulating ${run.callers} callers and a pool of ${rooms} rooms`);
    const counts = await runParts({ scenario, poolSize: rooms, ...run }, options.signal);
    const load = perSecond * counts.leadSeconds;
    const estimate = estimateShare(counts.callers, counts.emptyByBlock, load / rooms);
    const { failed, leadSeconds } = counts;
    return { leadSeconds, pool: { rooms, expected: emptyShare(rooms, load), failed, ...estimate } };
  }

  const tooSmall = Math.max(1, smallestPool(perSecond * nominalLeadSeconds(scenario), comparedShare));
  const compared = await simulate(tooSmall, { callers: Math.ceil(callers * comparisonCallers), seed });
  const load = perSecond * compared.leadSeconds;
  // If the real code is worse than the formula where that can be measured, the formula's size is not enough.
  const excess = Math.max(1, compared.pool.high / compared.pool.expected);
  let rooms = smallestPool(load, maxShare / excess);
  let simulated = await simulate(rooms, { callers, seed: seed + 1000 });
  for (let run = 2; run <= maxRuns && simulated.pool.share > maxShare; run++) {
    rooms += Math.ceil(Math.log(simulated.pool.share / maxShare) / Math.log(rooms / load));
    simulated = await simulate(rooms, { callers, seed: seed + 1000 * run });
  }

  const { perHour, peak } = options.scenario;
  const poolSize = options.maxVmr ?? rooms * gateways;
  const poolPerHour = (largestLoad(poolSize, maxShare) / compared.leadSeconds) * 3600;
  return {
    seed,
    total: { perHour, peakPerHour: perHour * peak, perDay: perHour * 24 },
    gateways,
    scenario,
    leadSeconds: compared.leadSeconds,
    formulaRooms: smallestPool(load, maxShare),
    rooms,
    comparison: compared.pool,
    simulation: simulated.pool,
    roomsOnPlatform: roomsOnPlatform(scenario, rooms, scenario.perHour * peak),
    settings: { MAX_VMR: rooms, POOL_MINIMUM: rooms, GC_MAX_MESSAGES: scenario.gcMaxMessages },
    limits: findLimits(options.scenario, { size: poolSize, perHour: poolPerHour }),
  };
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
  return { ...scenario, gcMaxMessages: Math.min(capacity, Math.max(possible, forAverage, defaultMessages)) };
}

/** Returns the smallest number of gateways that share the load so that nothing gives way which a pool cannot mend. */
function gatewaysFor(scenario: Scenario): number {
  for (let gateways = 1; gateways <= maxGateways; gateways++)
    if (isEnough(planSettings({ ...scenario, perHour: scenario.perHour / gateways }))) return gateways;
  throw new Error(`not even ${maxGateways} gateways can carry ${scenario.perHour} rooms per hour`);
}
