/** Measures queues and platform as the gateway's metrics run does, or takes the newest run's row. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Log } from "../../../src/lib/log.ts";
import { type ForgottenRoom, type Measurement, measure } from "../../../src/lib/metrics/measurement.ts";
import { isOfOtherGateway, parseMarker } from "../../../src/lib/pool/room.ts";
import { version } from "../../../src/lib/version.ts";
import { isTakenOut } from "../pool/retirement.ts";
import { describeOthers } from "../pool/room-views.ts";
import type { Platform, Target } from "../target/target.ts";

// The columns of the metrics row that the screen shows. A value that could not be measured is null.
const rowSchema = z.object({
  TimeGenerated: z.string(),
  PlatformConnected: z.boolean().nullable().default(null),
  PoolDepth: z.number().nullable().default(null),
  DeletionDepth: z.number().nullable().default(null),
  DeletionOldestSeconds: z.number().nullable().default(null),
  ProvisioningDepth: z.number().nullable().default(null),
  PoisonDepth: z.number().nullable().default(null),
  AvailableRooms: z.number().nullable().default(null),
  InUseRooms: z.number().nullable().default(null),
  OutdatedRooms: z.number().nullable().default(null),
  UnaccountedRooms: z.number().nullable().default(null),
  LiveConferences: z.number().nullable().default(null),
  AlarmCount: z.number().nullable().default(null),
  AlarmNames: z.string().nullable().default(null),
  MaximumRooms: z.number().nullable().default(null),
  PoolMinimum: z.number().nullable().default(null),
});

/** For commands that say themselves what could not be measured. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Measured {
  readonly row: z.output<typeof rowSchema>;
  /** Whether the row was measured now; otherwise it is the app's newest one. */
  readonly isMeasured: boolean;
  /** The orphaned rooms that can be named. Undefined if the row was not measured. */
  readonly orphaned: readonly ForgottenRoom[] | undefined;
  /** How many of the assigned rooms an operator took out of the pool. Undefined if it was not measured. */
  readonly takenOut: number | undefined;
  /** Whose other rooms are on the platform, for example `25 rooms of the gateway production`. Undefined if there is none. */
  readonly others: string | undefined;
  /** Why the platform's rooms or status could not be read. */
  readonly platformFailure: unknown;
}

/**
 * Measures now if there are credentials for the platform. A platform that failed its probe is not asked again.
 * Otherwise uses the newest metrics row. Throws UnreachableError if that cannot be read.
 */
export async function readMeasured(target: Target, probeFailure: Promise<unknown>): Promise<Measured> {
  const { platform } = target;
  if (platform) return measureNow(target, platform, await probeFailure);
  const row = rowSchema.parse((await target.log.newestMetrics()) ?? { TimeGenerated: "" });
  return {
    row,
    isMeasured: false,
    orphaned: undefined,
    takenOut: undefined,
    others: undefined,
    platformFailure: undefined,
  };
}

async function measureNow(target: Target, { conferences, status }: Platform, probeFailure: unknown) {
  const { gatewayName } = target.settings.rooms;
  let takenOut: number | undefined;
  let others: string | undefined;
  let platformFailure = probeFailure;
  const asked = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    if (probeFailure !== undefined) throw probeFailure;
    return ask().catch((error: unknown) => {
      platformFailure = error;
      throw error;
    });
  };
  const parts = {
    conferences: {
      list: async () => {
        const rows = await asked(async () => conferences.list());
        takenOut = rows.filter((row) => isTakenOut(row) && !isOfOtherGateway(row, gatewayName)).length;
        others = describeOthers(
          rows.flatMap(({ description }) => parseMarker(description) ?? []),
          gatewayName,
        );
        return rows;
      },
    },
    status: {
      liveConferences: async () => asked(async () => status.liveConferences()),
      alarms: async () => asked(async () => status.alarms()),
    },
  };
  const fingerprint = await target.fingerprint().catch(() => undefined);
  const measured = await measureTarget(target, parts, fingerprint, silentLog);
  const row = rowSchema.parse(measured.row);
  return {
    // Without the fingerprint of new rooms, every room would count as outdated.
    row: fingerprint === undefined ? { ...row, OutdatedRooms: null } : row,
    isMeasured: true,
    orphaned: measured.unaccounted?.forgotten ?? [],
    takenOut,
    others,
    platformFailure,
  };
}

type MeasuredParts = Pick<Parameters<typeof measure>[0], "conferences" | "status">;

/**
 * Measures a gateway as its metrics run does. Never throws: a value that cannot be measured is logged and null.
 * `fingerprint` is that of new rooms.
 */
export async function measureTarget(
  { queues, settings, clock }: Target,
  { conferences, status }: MeasuredParts,
  fingerprint: string | undefined,
  log: Log,
): Promise<Measurement> {
  const { gatewayName } = settings.rooms;
  const options = { queues, conferences, status, clock, newId: randomUUID, version, gatewayName };
  const { maxRooms, minRooms } = settings.pool;
  return measure({ ...options, instanceId: "ops", maxRooms, minRooms, fingerprint: fingerprint ?? "" }, log);
}
