/** Reads everything that `ops status` shows. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Log } from "../../../src/lib/log.ts";
import { type ForgottenRoom, type Measurement, measure } from "../../../src/lib/metrics/measurement.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { version } from "../../../src/lib/version.ts";
import { isTakenOut } from "../pool/retirement.ts";
import type { Platform, Target } from "../target/target.ts";
import { checks, runCheck } from "./checks.ts";
import type { Line } from "./status-lines.ts";

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

type StatusRow = z.output<typeof rowSchema>;

export interface GatewayStatus {
  readonly row: StatusRow;
  /** Whether the row was measured now; otherwise it is the app's newest one. */
  readonly isMeasured: boolean;
  /** The orphaned rooms that can be named. Undefined if the row was not measured. */
  readonly orphaned: readonly ForgottenRoom[] | undefined;
  /** How many of the assigned rooms an operator took out of the pool. Undefined if it was not measured. */
  readonly takenOut: number | undefined;
  readonly checks: readonly Line[];
}

/**
 * Measures now if the operator has credentials for the platform. Otherwise uses the newest metrics row, and
 * throws UnreachableError if there is none.
 */
export async function readStatus(target: Target, log: Log): Promise<GatewayStatus> {
  const { platform } = target;
  const [status, ...checked] = await Promise.all([
    platform ? measureStatus(target, platform, log) : newestStatus(target),
    ...checks.filter(({ isOfStatus }) => isOfStatus).map(async (check) => runCheck(check, target)),
  ]);
  return { ...status, checks: checked };
}

async function newestStatus({ log }: Target) {
  const row = rowSchema.parse((await log.newestMetrics()) ?? { TimeGenerated: "" });
  return { row, isMeasured: false, orphaned: undefined, takenOut: undefined };
}

async function measureStatus(target: Target, platform: Platform, log: Log) {
  const fingerprint = await target.fingerprint().catch((error: unknown) => {
    log.warn("log-unavailable", {}, error);
    return undefined;
  });
  let takenOut: number | undefined;
  const list: Platform["conferences"]["list"] = async (limits) => {
    const rows = await platform.conferences.list(limits);
    takenOut = rows.filter(isTakenOut).length;
    return rows;
  };
  const counted = { ...platform, conferences: { ...platform.conferences, list } };
  const measured = await measureTarget(target, counted, fingerprint, log);
  const row = rowSchema.parse(measured.row);
  return {
    // Without the fingerprint of new rooms, every room would count as outdated.
    row: fingerprint === undefined ? { ...row, OutdatedRooms: null } : row,
    isMeasured: true,
    orphaned: measured.unaccounted?.forgotten ?? [],
    takenOut,
  };
}

/**
 * Measures a gateway as its metrics run does. Never throws: a value that cannot be measured is logged and null.
 * `fingerprint` is that of new rooms.
 */
export async function measureTarget(
  { queues, settings }: Target,
  { conferences, status }: Platform,
  fingerprint: string | undefined,
  log: Log,
): Promise<Measurement> {
  const options = { queues, conferences, status, clock: systemClock, newId: randomUUID, version };
  const { maxRooms, minRooms } = settings.pool;
  return measure({ ...options, instanceId: "ops", maxRooms, minRooms, fingerprint: fingerprint ?? "" }, log);
}
