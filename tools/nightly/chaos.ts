/** Chaos: callers use rooms while instances of the deployed bundle are killed and their connections fail. */
import { setTimeout as delay } from "node:timers/promises";
import { parseMarker } from "../../src/lib/ownership/room.ts";
import { startStorageProxy } from "../../test/support/storage-proxy.ts";
import { openQueueContents, type QueueContents } from "../local/stack/queue-contents.ts";
import { startDevelopmentStack } from "../simulators/development-stack.ts";
import { identities } from "../simulators/identities.ts";
import type { PlatformSimulator } from "../simulators/platform/platform-simulator.ts";
import { poll } from "../simulators/process/poll.ts";
import { createInstances, startFaults } from "./chaos-faults.ts";
import { createLoad } from "./chaos-load.ts";

type Load = ReturnType<typeof createLoad>;

const callers = 40;
const poolSize = 30;
const restTimeoutSeconds = 120;
const minShareHandedOut = 0.25;

/** Short times for a run of minutes, in the proportions of the default settings. */
const scaledSettings = {
  PLATFORM_TIMEOUT_SECONDS: "1",
  POOL_LEASE_SECONDS: "10",
  GC_MINIMUM_AGE_SECONDS: "3",
  GC_MAX_MESSAGES: "40",
  MAX_VMR: String(poolSize),
  POOL_MINIMUM: String(poolSize),
};
// With these times, the name of a room whose provisioning was killed becomes visible after 20 s.
const invisibleMilliseconds = 20_000;

/**
 * Starts everything, sends this many claims while it is disturbed, waits until it is at rest, and audits it. Returns what
 * is wrong, beginning with the name of the broken promise in docs/architecture.md.
 */
export async function runChaos(claims: number): Promise<string[]> {
  await import("../../scripts/build.ts");
  const stack = await startDevelopmentStack({ platform: { requestLimitPerMinute: null } });
  const { platform, issuer } = stack;
  const { connectionString, queueServiceUrl } = stack.azurite;
  const storageProxy = await startStorageProxy(queueServiceUrl);
  const instances = createInstances({
    ...stack.settings,
    AzureWebJobsStorage: connectionString.replace(queueServiceUrl, storageProxy.url),
    ...scaledSettings,
  });
  const queues = openQueueContents(connectionString);
  const issueToken = () => issuer.issueToken(identities.clientId);
  const load = createLoad({ instances, platform, issueToken });
  try {
    await instances.startMissing();
    await untilAtRest(queues, load);
    console.log(`${poolSize} rooms in the pool, starting load and faults`);
    const stopFaults = startFaults({ platform, storageProxy, instances });
    try {
      await load.run(claims, callers);
    } finally {
      await stopFaults();
    }
    const handedOut = load.sessions.length;
    const faults = `${instances.kills()} instances killed, ${load.retries()} calls repeated`;
    console.log(`${claims} claims got ${handedOut} rooms, ${faults}; waiting until everything is at rest`);
    if (handedOut < minShareHandedOut * claims || instances.kills() === 0 || load.retries() === 0)
      load.problems.push("The run was not hard enough, or too hard, to prove anything");

    await Promise.all([delay(invisibleMilliseconds), untilAtRest(queues, load)]);
    // Claims every room that the faults have left in the pool.
    const turnover = 1.5 * poolSize;
    await load.run(turnover, 2);
    const failed = handedOut + turnover - load.sessions.length;
    if (failed > 0) load.problems.push(`pool-level-wrong: ${failed} claims failed after the faults`);
    await untilAtRest(queues, load);
    await audit(queues, load, platform);
    return load.problems;
  } finally {
    await instances.stop();
    await Promise.all([stack.stop(), storageProxy.stop()]);
  }
}

/** Fires the timers until the pool is full and no message is visible elsewhere. The audit says what is missing. */
async function untilAtRest({ depth, peek }: QueueContents, { runTimer }: Load): Promise<void> {
  const isAtRest = async (): Promise<true | undefined> => {
    const [pooled, requested] = [await depth("pool"), await depth("provisioning")];
    // What a killed collector held is invisible for minutes.
    const ended = (await peek("deletion")).length;
    if (requested === 0 && pooled < poolSize) await runTimer("collectMetrics");
    if (ended > 0) await runTimer("collectGarbage");
    return (requested === 0 && ended === 0 && pooled >= poolSize) || undefined;
  };
  const options = { description: "a full pool", timeoutSeconds: restTimeoutSeconds, pauseMilliseconds: 500 };
  await poll(isAtRest, options).catch(() => undefined);
}

/** Compares what the callers know with the platform and the queues. */
async function audit(queues: QueueContents, load: Load, platform: PlatformSimulator): Promise<void> {
  const { sessions, problems, checkHeld } = load;
  const pool: string[] = [];
  const isComplete = async (): Promise<true | undefined> => {
    pool.push(...(await queues.receiveAll("pool")));
    return pool.length >= (await queues.depth("pool")) || undefined;
  };
  await poll(isComplete, { description: "the names in the pool", timeoutSeconds: restTimeoutSeconds });
  const inPool = new Set(pool);
  const rooms = new Map(platform.rooms().map((room) => [room.name, room]));

  for (const session of sessions) {
    if (session.state !== "held") continue;
    checkHeld(session);
    if (inPool.has(session.room)) problems.push(`handed-out-twice: ${session.room} is held and in the pool`);
  }
  for (const room of repeated(sessions.map((session) => session.room)))
    problems.push(`handed-out-twice: ${room} was given to two callers`);
  for (const room of repeated(pool)) problems.push(`handed-out-twice: ${room} is twice in the pool`);

  const messages = (await queues.depth("deletion")) + (await queues.depth("poison"));
  const left = sessions.filter(({ state, room }) => state === "ended" && rooms.has(room)).length;
  if (left > messages) problems.push(`event-lost: ${left} ended rooms are left, and ${messages} messages`);
  const isClaimable = (name: string) => parseMarker(rooms.get(name)?.description)?.state === "pooled";
  const withoutRoom = pool.filter((name) => !isClaimable(name)).length;
  if (pool.length < poolSize || pool.length > 1.5 * poolSize || withoutRoom > 0.1 * poolSize)
    problems.push(
      `pool-level-wrong: ${pool.length} names in a pool of ${poolSize}, ${withoutRoom} of them without a room`,
    );
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
