/** One run: starts everything, puts it under load and faults, waits until it is at rest, and audits the result. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSeededRandom } from "../local/process/seeded-random.ts";
import { openQueueContents } from "../local/stack/queue-contents.ts";
import { createDeployment } from "../scripts/package/deployment.ts";
import { startEnvironment } from "./environment.ts";
import { startFaults } from "./fault-schedule.ts";
import { auditRun, type Finding } from "./findings.ts";
import { createGatewayCalls } from "./gateway-calls.ts";
import { type Instances, startInstances } from "./instances.ts";
import { type Load, runLoad } from "./load.ts";
import { createLogWatch } from "./log-watch.ts";
import { createPlatformView, protectedRooms, seedProtectedRooms } from "./platform-view.ts";
import { receivePool, turnPoolOver, untilPoolIsAtRest } from "./pool-turnover.ts";
import { createLedger } from "./sessions.ts";

export interface ChaosOptions {
  /** How many rooms callers try to create, unless the time runs out. */
  readonly claims: number;
  readonly maxLoadSeconds: number;
  readonly seed: number;
  readonly print: (text: string) => void;
  readonly stopping: AbortSignal;
}

const instanceCount = 4;
const poolSize = 50;
// With the settings below, the name of a room whose provisioning was killed becomes visible after 20 s.
const invisibleMilliseconds = 20_000;

/** Short times for a run of minutes, in the proportions of the default settings. */
const scaledSettings: Readonly<Record<string, string>> = {
  PLATFORM_TIMEOUT_SECONDS: "1",
  POOL_LEASE_SECONDS: "10",
  GC_MINIMUM_AGE_SECONDS: "3",
  GC_MAX_MESSAGES: "40",
  MAX_VMR: String(poolSize),
  POOL_MINIMUM: String(poolSize),
};

/** Returns the findings. Throws if `stopping` aborts the load. Stops everything that was started in either case. */
export async function runChaos({
  claims,
  maxLoadSeconds,
  seed,
  print,
  stopping,
}: ChaosOptions): Promise<Finding[]> {
  const random = createSeededRandom(seed);
  const logs = createLogWatch();
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  const environment = await startEnvironment(random);
  let instances: Instances | undefined;
  try {
    const started = await startInstances({
      count: instanceCount,
      bundlePath: await unpackDeployment(folder),
      hostJsonPath: fileURLToPath(new URL("../../host.json", import.meta.url)),
      settings: { ...environment.settings, ...scaledSettings },
      random,
      onLine: logs.read,
    });
    instances = started;
    const { simulators, platformProxy, storageProxy } = environment;
    const { platformUrl, connectionString } = simulators.surroundings;
    const calls = createGatewayCalls(() => started.pick(), simulators.accessToken);
    const platform = createPlatformView(platformUrl, simulators.platformControlUrl);
    const queues = openQueueContents(connectionString);
    const ledger = createLedger();
    const load: Load = { calls, platform, ledger, random, stopping };

    await seedProtectedRooms(platform);
    await untilPoolIsAtRest(queues, calls, poolSize);
    print(`${poolSize} rooms in the pool, starting load and faults`);
    const faults = await startFaults({ environment, platform, instances, calls, random });
    try {
      await runLoad(load, { claims, maxLoadSeconds, print });
    } finally {
      await faults.stopFaults();
    }
    stopping.throwIfAborted();
    print("load and faults have ended, waiting until the pool is at rest");
    await Promise.all([delay(invisibleMilliseconds), untilPoolIsAtRest(queues, calls, poolSize)]);
    print("claiming every room in the pool");
    const failedTurnoverClaims = await turnPoolOver(load, 1.5 * poolSize);
    await untilPoolIsAtRest(queues, calls, poolSize);
    return auditRun({
      ledger,
      logs,
      rooms: await platform.rooms(),
      pool: await receivePool(queues),
      deletion: await queues.receiveAll("deletion"),
      poisonMessages: await queues.depth("poison"),
      poolSize,
      failedTurnoverClaims,
      protectedRooms,
      unexpectedResponses: calls.unexpected,
      kills: instances.killCount(),
      outages: faults.outages(),
      kindsOfFaults: Math.min(platformProxy.kindsOfFaults(), storageProxy.kindsOfFaults()),
    });
  } finally {
    await instances?.stop();
    await environment.stop();
    await rm(folder, { recursive: true });
  }
}

/** Writes the deployed files to a folder and returns the path of the bundle. Later builds do not change this copy. */
async function unpackDeployment(folder: string): Promise<string> {
  for (const [path, contents] of await createDeployment()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  return join(folder, "dist/main.js");
}
