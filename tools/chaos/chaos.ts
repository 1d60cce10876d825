/** One run: starts everything, puts it under load and faults, waits until it is at rest, and audits the result. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createSeededRandom, type SeededRandom } from "../local/process/seeded-random.ts";
import { openQueueContents } from "../local/stack/queue-contents.ts";
import { createDeployment } from "../scripts/package/deployment.ts";
import { type Environment, startEnvironment } from "./environment.ts";
import { type FaultOptions, startFaults } from "./fault-schedule.ts";
import { auditRun, checkCoverage, type Finding } from "./findings.ts";
import { createGatewayCalls, type GatewayCalls } from "./gateway-calls.ts";
import { type Instances, startInstances } from "./instances.ts";
import { type LoadOptions, runLoad } from "./load.ts";
import { createLogWatch } from "./log-watch.ts";
import {
  createPlatformView,
  type PlatformView,
  protectedRooms,
  seedProtectedRooms,
} from "./platform-view.ts";
import { receivePool, turnPoolOver, untilPoolIsAtRest } from "./pool-turnover.ts";
import { createLedger, type Ledger } from "./sessions.ts";

/** The length and the strength of a run. */
export interface RunSize
  extends Pick<FaultOptions, "secondsBetweenKills" | "secondsBetweenOutages" | "maxOutageSeconds">,
    Pick<LoadOptions, "claims" | "callers" | "maxLoadSeconds" | "bulkDeletesAtClaims"> {
  /** With fewer claims the run proves nothing. */
  readonly minClaims: number;
  readonly minKindsOfFaults: number;
  readonly instanceCount: number;
  readonly poolSize: number;
}

export const fullRun: RunSize = {
  claims: 10_000,
  minClaims: 10_000,
  minKindsOfFaults: 7,
  callers: 20,
  // Ten minutes are enough for all claims on an idle computer; a busy one takes longer and must not fail for that.
  maxLoadSeconds: 2400,
  bulkDeletesAtClaims: [2000, 4000, 6000, 8000],
  instanceCount: 4,
  poolSize: 60,
  secondsBetweenKills: 8,
  secondsBetweenOutages: 45,
  maxOutageSeconds: 8,
};

export const shortRun: RunSize = {
  claims: 500,
  minClaims: 100,
  minKindsOfFaults: 3,
  callers: 20,
  maxLoadSeconds: 17,
  bulkDeletesAtClaims: [80],
  instanceCount: 4,
  poolSize: 50,
  secondsBetweenKills: 3,
  secondsBetweenOutages: 8,
  maxOutageSeconds: 2.5,
};

export interface ChaosOptions {
  readonly size: RunSize;
  readonly seed: number;
  /** A bundle to run instead of the current sources. */
  readonly bundlePath?: string | undefined;
  readonly print: (text: string) => void;
  /** Receives every line that an instance logs. */
  readonly onLogLine?: (line: string) => void;
  readonly stopping: AbortSignal;
}

interface Run {
  readonly options: ChaosOptions;
  readonly random: SeededRandom;
  readonly environment: Environment;
  readonly platform: PlatformView;
  readonly instances: Instances;
  readonly calls: GatewayCalls;
  readonly ledger: Ledger;
}

// With the settings below, the name of a room whose provisioning was killed becomes visible after 20 s.
const invisibleMilliseconds = 20_000;

/** Short times for a run of minutes, in the proportions of the default settings. */
function scaledSettings(poolSize: number): Record<string, string> {
  return {
    PLATFORM_TIMEOUT_SECONDS: "1",
    POOL_LEASE_SECONDS: "10",
    GC_MINIMUM_AGE_SECONDS: "3",
    GC_MAX_MESSAGES: "40",
    MAX_VMR: String(poolSize),
    POOL_MINIMUM: String(poolSize),
  };
}

/** Returns the findings. Throws if `stopping` aborts the load. Stops everything that was started in either case. */
export async function runChaos(options: ChaosOptions): Promise<Finding[]> {
  const { size, print } = options;
  const random = createSeededRandom(options.seed);
  const logs = createLogWatch();
  const onLine = (line: string): void => {
    options.onLogLine?.(line);
    logs.read(line);
  };
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  const environment = await startEnvironment(random);
  let instances: Instances | undefined;
  try {
    const started = await startInstances({
      count: size.instanceCount,
      bundlePath: options.bundlePath ?? (await unpackDeployment(folder)),
      hostJsonPath: fileURLToPath(new URL("../../host.json", import.meta.url)),
      settings: { ...environment.settings, ...scaledSettings(size.poolSize) },
      random,
      onLine,
    });
    instances = started;
    const { simulators, platformProxy, storageProxy } = environment;
    const { platformUrl, connectionString } = simulators.surroundings;
    const calls = createGatewayCalls(() => started.pick(), simulators.accessToken);
    const platform = createPlatformView(platformUrl, simulators.platformControlUrl);
    const ledger = createLedger();
    const queues = openQueueContents(connectionString);

    await seedProtectedRooms(platform);
    await untilPoolIsAtRest(queues, calls, size.poolSize);
    print(`${size.poolSize} rooms in the pool, starting load and faults`);
    const outages = await loadUnderFaults({
      options,
      random,
      environment,
      platform,
      instances,
      calls,
      ledger,
    });
    options.stopping.throwIfAborted();
    print("load and faults have ended, waiting until the pool is at rest");
    await Promise.all([delay(invisibleMilliseconds), untilPoolIsAtRest(queues, calls, size.poolSize)]);
    print("claiming every room in the pool");
    const failedTurnoverClaims = await turnPoolOver({ calls, ledger }, 1.5 * size.poolSize);
    await untilPoolIsAtRest(queues, calls, size.poolSize);
    const findings = auditRun({
      ledger,
      logs,
      rooms: await platform.rooms(),
      pool: await receivePool(queues),
      deletion: await queues.receiveAll("deletion"),
      poisonMessages: await queues.depth("poison"),
      poolSize: size.poolSize,
      failedTurnoverClaims,
      protectedRooms,
      unexpectedResponses: calls.unexpected,
    });
    const coverage = checkCoverage({
      ledger,
      minClaims: size.minClaims,
      minKindsOfFaults: size.minKindsOfFaults,
      kills: instances.killCount(),
      outages,
      faultCounts: { platform: platformProxy.faultCounts(), storage: storageProxy.faultCounts() },
    });
    return [...coverage, ...findings];
  } finally {
    await instances?.stop();
    await environment.stop();
    await rm(folder, { recursive: true });
  }
}

async function loadUnderFaults(run: Run): Promise<{ platform: number; storage: number }> {
  const { options, ledger } = run;
  const { size, stopping } = options;
  const faults = await startFaults({ ...run, ...size });
  const reportEvery = Math.max(100, Math.round(size.claims / 20));
  const onProgress = (sent: number): void => {
    if (sent % reportEvery !== 0) return;
    const handedOut = ledger.sessions.filter(({ result }) => result === "handed-out").length;
    options.print(`${sent} claims sent, ${handedOut} rooms handed out`);
  };
  try {
    await runLoad({ ...run, ...size, protectedRooms, onProgress, stopping });
  } finally {
    await faults.stopFaults();
  }
  return faults.outages;
}

/** Writes the deployed files to a folder and returns the path of the bundle. Later builds do not change this copy. */
async function unpackDeployment(folder: string): Promise<string> {
  for (const [path, contents] of await createDeployment()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  return join(folder, "dist/main.js");
}
