/** One run: start everything, load it while faults strike, let it settle, and audit what is left. */
import { fileURLToPath } from "node:url";
import { startHeldConferences, turnPoolOver } from "./aftermath.ts";
import { audit, type Line } from "./audit.ts";
import type { LineReader } from "./child.ts";
import { strengthOf } from "./coverage.ts";
import { laterSeconds, passOneDay } from "./day-later.ts";
import { type Parts, startParts } from "./environment.ts";
import { startWeather, type WeatherOptions } from "./fault-schedule.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { createGatewayCalls, type GatewayCalls } from "./gateway-calls.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { type LoadOptions, runLoad } from "./load.ts";
import { createLogWatch } from "./log-watch.ts";
import { createPlatformView, type PlatformView } from "./platform-view.ts";
import { protectedRoomNames, seedProtectedRooms } from "./protected-rooms.ts";
import { openQueueContents } from "./queue-contents.ts";
import { createSeededRandom, type SeededRandom } from "./seeded-random.ts";
import { moveStorageClock, settlePool } from "./wait-until-idle.ts";

export interface ChaosOptions
  extends Pick<WeatherOptions, "secondsBetweenKills" | "secondsBetweenOutages" | "maxOutageSeconds">,
    Pick<LoadOptions, "claims" | "callers" | "maxLoadSeconds" | "sweepsAtClaims" | "stopping"> {
  readonly seed: number;
  /** The app as it is deployed. */
  readonly bundlePath: string;
  /** Fewer claims than this, and the run proves nothing. */
  readonly minClaims: number;
  readonly minKindsOfFaults: number;
  readonly processes: number;
  readonly poolSize: number;
  readonly print: (text: string) => void;
  /** Receives every line that the app logs. */
  readonly onLogLine?: (line: string) => void;
}

interface Run {
  readonly options: ChaosOptions;
  readonly random: SeededRandom;
  readonly parts: Parts;
  readonly platform: PlatformView;
  readonly fleet: Fleet;
  readonly calls: GatewayCalls;
  readonly ledger: Ledger;
}

/** Waiting times fit for a run of minutes; their proportions are those of the usual settings. */
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

/**
 * Gives the lines of the audit; throws when `stopping` aborts the load. Everything that was started is stopped in
 * either case.
 */
export async function runChaos(options: ChaosOptions): Promise<Line[]> {
  const { bundlePath, poolSize, print } = options;
  const random = createSeededRandom(options.seed);
  const logs = createLogWatch();
  const onLine: LineReader = (line, processId) => {
    options.onLogLine?.(line);
    logs.read(line, processId);
  };
  const parts = await startParts(random);
  let fleet: Fleet | undefined;
  try {
    const environment = { ...parts.settings, ...scaledSettings(poolSize) };
    const hostJsonPath = fileURLToPath(new URL("../host.json", import.meta.url));
    const gateway = { bundlePath, hostJsonPath, environment, onLine };
    const started = await startFleet({ ...gateway, size: options.processes, random });
    fleet = started;
    const calls = createGatewayCalls(() => started.pick(), parts.accessToken);
    const platform = createPlatformView(parts.platformUrl, parts.platformControlUrl);
    const ledger = createLedger();
    const run = { options, random, parts, platform, fleet, calls, ledger };
    const queues = openQueueContents(parts.connectionString);

    await seedProtectedRooms(platform);
    await settlePool(queues, calls, poolSize);
    print(`${poolSize} rooms in the pool; faults begin`);
    const outages = await loadUnderFaults(run);
    options.stopping.throwIfAborted();
    print("faults are over; waiting until the gateway has come to rest");
    await settlePool(queues, calls, poolSize);
    print("at rest; the storage's clock moves on, and the whole pool is claimed once");
    await moveStorageClock(parts.storageControlUrl, laterSeconds);
    const turnover = await turnPoolOver(run, poolSize);
    await fleet.stop();
    await startHeldConferences(run);
    print("a day later the collector empties its queue, and the pool fills again");
    const row = await passOneDay({ ...gateway, parts, queues, poolSize });
    // The last names may still be hidden, as those of new rooms are.
    await moveStorageClock(parts.storageControlUrl, laterSeconds);
    const evidence = {
      ledger,
      logs,
      kills: fleet.kills,
      rooms: await platform.rooms(),
      pool: await queues.takeAll("pool"),
      deletion: await queues.takeAll("deletion"),
      poison: await queues.takeAll("poison"),
      row,
      poolSize,
      protectedRooms: protectedRoomNames,
      unexpectedAnswers: calls.unexpected,
    };
    const strength = strengthOf({
      ...parts,
      ledger,
      outages,
      minClaims: options.minClaims,
      minKindsOfFaults: options.minKindsOfFaults,
      kills: fleet.kills.length,
    });
    return [...strength, turnover, ...audit(evidence)];
  } finally {
    await fleet?.stop();
    await parts.stop();
  }
}

async function loadUnderFaults(run: Run): Promise<{ platform: number; storage: number }> {
  const { options, ledger } = run;
  const weather = await startWeather({ ...run, ...options });
  const reportEvery = Math.max(100, Math.round(options.claims / 20));
  const onProgress = (sent: number): void => {
    if (sent % reportEvery !== 0) return;
    const handedOut = ledger.sessions.filter(({ answer }) => answer === "handed-out").length;
    options.print(`${sent} claims sent, ${handedOut} rooms handed out`);
  };
  try {
    await runLoad({ ...run, ...options, protectedRooms: protectedRoomNames, onProgress });
  } finally {
    await weather.clear();
  }
  return weather.outages;
}
