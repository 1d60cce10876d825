/** A gateway of which only the queues exist, in memory. */
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { gatewayName } from "../../../test/support/markers.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryQueue } from "../../simulators/memory/queue.ts";
import { createLogReader } from "../gateway/local.ts";
import type { LogLine } from "../gateway/log.ts";
import { defaultLimits, type Target } from "../gateway/target.ts";
import type { Metrics, OwnMetrics } from "../status/metrics.ts";

/** Returns what is measured if nothing is wrong. */
export const calmMetrics = (now: number): Metrics & { own: OwnMetrics } => ({
  row: {
    TimeGenerated: new Date(now).toISOString(),
    PlatformConnected: true,
    PoolDepth: 10,
    DeletionDepth: 2,
    DeletionOldestSeconds: 660,
    ProvisioningDepth: 0,
    PoisonDepth: 0,
    AvailableRooms: 10,
    InUseRooms: 1,
    UnaccountedRooms: 0,
    LiveConferences: 1,
    AlarmCount: 0,
    AlarmNames: null,
    MaximumRooms: 50,
    PoolMinimum: null,
  },
  own: {
    orphaned: [],
    queued: [],
    takenOut: 0,
    others: undefined,
    platformFailure: undefined,
    poolNames: undefined,
    rooms: [],
    startedAt: now,
    oldestRequestSeconds: 0,
  },
});

/** What the log of the gateway holds, the oldest first. */
interface Logged {
  readonly lines?: readonly LogLine[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
}

/** Returns a target; `changes` replace parts of it. */
export function memoryTarget(
  { clock = createManualClock(), ...changes }: Partial<Target> = {},
  { lines = [], rows = [] }: Logged = {},
): Target {
  return {
    name: "a gateway in memory",
    since: undefined,
    clock,
    gatewayUrl: "http://127.0.0.1:1",
    settings: loadSettings({ ...exampleEnvironment, GATEWAY_NAME: gatewayName }),
    limits: defaultLimits,
    queues: {
      pool: createMemoryQueue(clock),
      deletion: createMemoryQueue(clock),
      provisioning: createMemoryQueue(clock),
      poison: createMemoryQueue(clock),
    },
    log: createLogReader({ lines: async () => lines, rows: async () => rows }, clock),
    platform: undefined,
    unresolvedSecrets: async () => [],
    operatorId: async () => undefined,
    ...changes,
  };
}
