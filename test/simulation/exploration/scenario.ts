/** A scenario of the exploration: its initial state, and the invocations that can begin at any time. */

import { toNewConference } from "../../../src/lib/pool/new-room.ts";
import type { ProvisioningRequest } from "../../../src/lib/pool/provisioning.ts";
import { formatMarker, gatewayName } from "../../support/markers.ts";
import { deleteAllRooms, deliverEnds, requestRoom } from "../callers.ts";
import type { Plan } from "../processes.ts";
import { hostPin, type PoolLevel, tagHost, type World } from "../world.ts";

/** A step that begins once, at a time that the chooser chooses. */
export interface ScenarioStep {
  readonly label: string;
  readonly process: number;
  readonly isBulkDelete?: true;
  /** Whether the step can begin now; always by default. */
  readonly isReady?: (world: World) => boolean;
  /** Whether the moment matters, and not only that of its first call. */
  readonly isTimed?: true;
  start(world: World): void;
}

export interface Scenario {
  /** One room by default. */
  readonly level?: PoolLevel;
  /** The default is 90. */
  readonly readyDelaySeconds?: number;
  readonly steps: readonly ScenarioStep[];
  /** How often a longer time can pass, for instance that of a lease. */
  readonly lapse?: { readonly seconds: number; readonly times: number };
  /** The maximum number of faults in one history, none and one by default. */
  readonly faults?: { readonly short: number; readonly whole: number };
  arrange(world: World): void | Promise<void>;
}

/** What may happen in a history of a scenario. */
export interface Limits {
  readonly faults: number;
  /** By how much the clock of every other process, beginning with the first, is fast. */
  readonly skewMilliseconds: number;
  /** How many states are tried; all if missing. A number of states bounds the work on every computer alike. */
  readonly maxStates?: number;
}

// About a second of a usual computer.
const maxStatesWithFault = 300;

/** Each invocation has its own process, which can die or freeze independently. */
export const processCountOf = ({ steps }: Scenario) => 1 + Math.max(...steps.map(({ process }) => process));

/**
 * Returns the limits with which a scenario is explored: with equal clocks and, in the whole form, with those that the
 * gateway tolerates. The short form tries a part of the histories with a fault if it does not try all of them.
 */
export function limitsOf(scenario: Scenario, form: "short" | "whole"): Limits[] {
  const faults = (scenario.faults ?? { short: 0, whole: 1 })[form];
  const skews = processCountOf(scenario) === 1 || form === "short" ? [0] : [0, -5000, 5000];
  const limits = skews.map((skewMilliseconds): Limits => ({ faults, skewMilliseconds }));
  if (faults === 0) limits.push({ faults: 1, skewMilliseconds: 0, maxStates: maxStatesWithFault });
  return limits;
}

/** Makes no choices of its own: every delay is the shortest one. */
export const plan: Plan = {
  faults: [],
  random: { integerBelow: () => 0, bytes: (count) => new Uint8Array(count) },
};

/** Adds a room of the gateway, with these differences from a new one. */
function addRoom(
  { platform, ledger, clock }: World,
  name: string,
  differences: Record<string, unknown> = {},
): void {
  const since = new Date(clock.now()).toISOString();
  const room = toNewConference({ name, hostPin, guestPin: "123456789012", template: {}, since, gatewayName });
  platform.add({ ...room, ...differences });
  ledger.provisioned.add(name);
  ledger.pooledNames.add(name);
}

/** Adds a room as provisioning leaves it: pooled on the platform, its name in the pool. */
export async function poolRoom(world: World, name: string, { isMarked = true } = {}): Promise<void> {
  addRoom(world, name, isMarked ? {} : { description: "from the service before this one" });
  await world.queues.pool.put(name);
  world.clock.elapse(world.readyDelaySeconds * 1000);
}

/** Adds a room that a caller was handed some time ago. */
export function assignedRoom(world: World, name: string): void {
  const since = new Date(world.clock.now()).toISOString();
  addRoom(world, name, {
    description: formatMarker({ state: "assigned", since, messageId: "claim-of-room" }),
  });
  world.clock.elapse(60_000);
}

/** Puts a request on the provisioning queue. */
export async function requestProvisioning({ queues }: World, request: ProvisioningRequest): Promise<void> {
  await queues.provisioning.put(JSON.stringify(request));
}

export function create(process: number, options: { hasTag?: boolean; key?: string } = {}): ScenarioStep {
  const { hasTag = false, key } = options;
  const tag = hasTag ? `https://${tagHost}/s/${key ?? process}` : undefined;
  return {
    label: `create on process ${process}`,
    process,
    start: (world) => void requestRoom(world, { tag, key }, process, plan),
  };
}

export const bulkDelete = (process: number): ScenarioStep => ({
  label: `bulk delete on process ${process}`,
  process,
  isBulkDelete: true,
  isTimed: true,
  start: (world) => void deleteAllRooms(world, process, plan),
});

export const collect = (process: number): ScenarioStep => ({
  label: `garbage collection on process ${process}`,
  process,
  start: (world) => void world.process(process).runTimer("collectGarbage", plan),
});

/** An event that says that the room's conference has ended. */
export const ended = (name: string, process: number): ScenarioStep => ({
  label: `the end of ${name} is reported to process ${process}`,
  process,
  start: (world) => void deliverEnds(world, [name], process, plan),
});

/** The host's queue trigger hands one provisioning request to the process. */
export const provision = (process: number): ScenarioStep => ({
  label: `the host's queue trigger on process ${process}`,
  process,
  isTimed: true,
  isReady: ({ queues, clock }) =>
    queues.provisioning.contents().some(({ visibleAt }) => visibleAt <= clock.now()),
  start: (world) => void world.provisionOne(process),
});
