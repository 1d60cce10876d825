/** Runs the gateway's pool code under load in virtual time, and counts what its callers get. */

import { GatewayError } from "../../src/lib/errors.ts";
import type { Log } from "../../src/lib/log.ts";
import { createSeededRandom, type SeededRandom } from "../../tools/local/process/seeded-random.ts";
import type { Scenario } from "../scenario.ts";
import { createGateway, type SimulatedGateway } from "./gateway.ts";
import { startTriggers } from "./triggers.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

export interface Load {
  readonly scenario: Scenario;
  readonly poolSize: number;
  /** The number of callers that count. They arrive independently of each other (a Poisson process). */
  readonly callers: number;
  readonly seed: number;
  /** The rate at which callers arrive. The scenario's peak by default. */
  readonly perHour?: number;
  /** The simulated time after which the run ends, also without callers. The arrival of the last caller by default. */
  readonly hours?: number;
}

export interface LoadResult {
  readonly callers: number;
  /** Callers who found the pool empty, by twentieth of the run. */
  readonly emptyByBlock: readonly number[];
  /** Callers who got another error, for example because the platform refused calls. */
  readonly failed: number;
  /** Mean time from a claim to the moment when its replacement can be claimed, by Little's law. */
  readonly leadSeconds: number;
  readonly minutes: readonly MinuteSample[];
  /** Platform calls that got 429. */
  readonly refusedCalls: number;
  /** Operations on each queue. */
  readonly queueCalls: SimulatedGateway["queueCalls"];
}

interface MinuteSample {
  /** Rooms on the platform. */
  readonly rooms: number;
  /** Messages in the deletion queue. */
  readonly ended: number;
  readonly platformCalls: number;
}

interface World {
  readonly gateway: SimulatedGateway;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
}

const blockCount = 20;
// The pool is full at first, which it seldom is later: callers count after so many lead times.
const warmUpLeadTimes = 4;
const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Runs one load from a full pool. The same load always has the same result. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { scenario, poolSize, callers, hours, perHour = scenario.perHour * scenario.peak } = load;
  const random = createSeededRandom(load.seed);
  const time = createVirtualTime();
  const startedAt = time.now();
  const countedFrom = startedAt + warmUpLeadTimes * (scenario.readyDelaySeconds + 2) * 1000;
  const gateway = createGateway({ scenario, poolSize, time, random, log: silentLog });
  const world = { gateway, time, random };
  for (let room = 0; room < poolSize; room++) await gateway.addPooledRoom();
  startTriggers(gateway, time, random);

  const emptyByBlock = Array.from({ length: blockCount }, () => 0);
  const minutes: MinuteSample[] = [];
  let counted = 0;
  let failed = 0;
  let missingRooms = 0;
  let lastArrival = startedAt;

  async function arrive(): Promise<void> {
    while (counted < callers) {
      await time.sleep((exponential(random) * 3_600_000) / perHour);
      lastArrival = time.now();
      const block = lastArrival < countedFrom ? undefined : Math.floor((counted * blockCount) / callers);
      if (block !== undefined) {
        counted += 1;
        missingRooms += poolSize - gateway.pooledRooms();
      }
      void call(block);
    }
  }

  async function call(block: number | undefined): Promise<void> {
    const ending = await claimAndUse(world, scenario);
    if (block === undefined) return;
    if (ending === "empty") emptyByBlock[block] = (emptyByBlock[block] ?? 0) + 1;
    else if (ending === "failed") failed += 1;
  }

  async function sampleMinutes(): Promise<void> {
    for (let minute = 0; ; minute++) {
      await time.sleep(60_000);
      const platformCalls = gateway.platform.callsByMinute[minute] ?? 0;
      minutes.push({ rooms: gateway.platform.roomCount(), ended: gateway.endedRooms(), platformCalls });
    }
  }

  void arrive();
  void sampleMinutes();
  const isOver = () => time.now() - startedAt >= (hours ?? 0) * 3_600_000;
  await time.runUntil(() => (hours === undefined ? counted >= callers : isOver()));
  const served = callers - emptyByBlock.reduce((sum, count) => sum + count, 0);
  return {
    callers,
    emptyByBlock,
    failed,
    leadSeconds: (missingRooms / callers) * ((lastArrival - countedFrom) / 1000 / served),
    minutes,
    refusedCalls: gateway.platform.refusedCalls(),
    queueCalls: gateway.queueCalls,
  };
}

/** Claims a room and, without waiting for it, lets the room be used. */
async function claimAndUse(world: World, scenario: Scenario): Promise<"room" | "empty" | "failed"> {
  try {
    const instance = world.random.pick(world.gateway.http) ?? world.gateway.collector;
    const { name } = await instance.claims.claim(undefined, silentLog);
    void useRoom(name, world, scenario);
    return "room";
  } catch (error) {
    return error instanceof GatewayError && error.code === "pool-exhausted" ? "empty" : "failed";
  }
}

/** The life of a room that was handed out: calls about it, its conference, and the event of its end. */
async function useRoom(name: string, { gateway, time, random }: World, scenario: Scenario): Promise<void> {
  const instance = random.pick(gateway.http) ?? gateway.collector;
  gateway.platform.live.add(name);
  for (let call = 0; call < scenario.callsPerRoom; call++)
    await instance.conferences.findByName(name).catch(() => undefined);
  await time.sleep(exponential(random) * scenario.conferenceMinutes * 60_000);
  gateway.platform.live.delete(name);
  await instance.endedRooms.queueForDeletion([name], { name }, silentLog);
}

/** An exponential random number with the mean 1. */
function exponential(random: SeededRandom): number {
  return -Math.log(1 - random.next());
}
