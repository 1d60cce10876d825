/** One run: starts everything, puts it under load and faults, waits until it is at rest, and audits the result. */
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createDeployment } from "../../scripts/package/deployment.ts";
import { openQueueContents } from "../local/stack/queue-contents.ts";
import { poll } from "../simulators/process/poll.ts";
import { createSeededRandom } from "../simulators/process/seeded-random.ts";
import { type Instances, startEnvironment, startInstances } from "./environment.ts";
import { startFaults } from "./faults.ts";
import { auditRun, type Coverage, type Finding, isEnough } from "./findings.ts";
import { createGatewayCalls } from "./gateway-calls.ts";
import { type Load, runLoad, turnPoolOver, untilPoolIsAtRest } from "./load.ts";

export interface ChaosOptions {
  /** How many rooms callers try to create, unless the time runs out. */
  readonly claims: number;
  readonly maxLoadSeconds: number;
  readonly seed: number;
  readonly print: (text: string) => void;
}

const instanceCount = 3;
const poolSize = 30;
// With the settings below, the name of a room whose provisioning was killed becomes visible after 20 s.
const invisibleMilliseconds = 20_000;
const receiveTimeoutSeconds = 60;

/** Short times for a run of minutes, in the proportions of the default settings. */
const scaledSettings: Readonly<Record<string, string>> = {
  PLATFORM_TIMEOUT_SECONDS: "1",
  POOL_LEASE_SECONDS: "10",
  GC_MINIMUM_AGE_SECONDS: "3",
  GC_MAX_MESSAGES: "40",
  MAX_VMR: String(poolSize),
  POOL_MINIMUM: String(poolSize),
};

/** Returns the findings. Stops everything that was started, also if it throws. */
export async function runChaos({ seed, print, ...loadOptions }: ChaosOptions): Promise<Finding[]> {
  const random = createSeededRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.on("exit", removeFolder);
  const environment = await startEnvironment(random);
  let instances: Instances | undefined;
  try {
    const entry = await unpackDeployment(folder);
    const settings = { ...environment.settings, ...scaledSettings };
    const started = await startInstances({ count: instanceCount, entry, settings, random });
    instances = started;
    const { accessToken, connectionString, platformProxy, storageProxy } = environment;
    const calls = createGatewayCalls(() => started.pick(), accessToken);
    const queues = openQueueContents(connectionString);
    const ledger: Load["ledger"] = { sessions: [], wrongTags: [], differentRooms: [], vanished: [] };
    const load: Load = { calls, environment, ledger, random };

    await untilPoolIsAtRest(queues, calls, poolSize);
    print(`${poolSize} rooms in the pool, starting load and faults`);
    const faults = startFaults({ environment, instances, calls, random });
    const coverage = (): Coverage => ({
      kills: started.killCount(),
      outages: faults.outages(),
      kindsOfFaults: Math.min(platformProxy.kindsOfFaults(), storageProxy.kindsOfFaults()),
    });
    try {
      await runLoad(load, { ...loadOptions, isCovered: () => isEnough(coverage()), print });
    } finally {
      await faults.stopFaults();
    }
    print("load and faults have ended, waiting until the pool is at rest");
    await Promise.all([delay(invisibleMilliseconds), untilPoolIsAtRest(queues, calls, poolSize)]);
    print("claiming every room in the pool");
    const failedTurnoverClaims = await turnPoolOver(load, 1.5 * poolSize);
    await untilPoolIsAtRest(queues, calls, poolSize);
    const pool: string[] = [];
    const isPoolComplete = async (): Promise<true | undefined> => {
      pool.push(...(await queues.receiveAll("pool")));
      return pool.length >= (await queues.depth("pool")) ? true : undefined;
    };
    await poll(isPoolComplete, {
      description: "the names in the pool",
      timeoutSeconds: receiveTimeoutSeconds,
    });
    return auditRun({
      ledger,
      rooms: await environment.rooms(),
      pool,
      deletion: await queues.receiveAll("deletion"),
      poisonMessages: await queues.depth("poison"),
      poolSize,
      failedTurnoverClaims,
      unexpectedResponses: calls.unexpected,
      ...coverage(),
    });
  } finally {
    await instances?.stop();
    await environment.stop();
    removeFolder();
    process.off("exit", removeFolder);
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
