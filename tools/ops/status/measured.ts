/** Measures queues and platform as the gateway's metrics run does, or takes the newest run's row. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Log } from "../../../src/lib/log.ts";
import { type ForgottenRoom, type Measurement, measure } from "../../../src/lib/metrics/measurement.ts";
import { isOfOtherGateway, parseMarker } from "../../../src/lib/ownership/room.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { version } from "../../../src/lib/version.ts";
import { isTakenOut } from "../pool/retirement.ts";
import { describeOthers } from "../pool/room-views.ts";
import type { Platform, Target } from "../target/target.ts";

const amount = z.number().nullable().default(null);

// The columns of the metrics row that the screen shows. A value that could not be measured is null.
const rowSchema = z.object({
  TimeGenerated: z.string(),
  PlatformConnected: z.boolean().nullable().default(null),
  PoolDepth: amount,
  DeletionDepth: amount,
  DeletionOldestSeconds: amount,
  ProvisioningDepth: amount,
  PoisonDepth: amount,
  AvailableRooms: amount,
  InUseRooms: amount,
  OutdatedRooms: amount,
  UnaccountedRooms: amount,
  LiveConferences: amount,
  AlarmCount: amount,
  AlarmNames: z.string().nullable().default(null),
  MaximumRooms: amount,
  PoolMinimum: amount,
});

/** For commands that say themselves what could not be measured. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Measured {
  readonly row: z.output<typeof rowSchema>;
  /** What only a measurement of our own knows; undefined if the row is the app's newest one. */
  readonly own: OwnMeasurement | undefined;
}

export interface OwnMeasurement {
  /** The orphaned rooms that can be named. */
  readonly orphaned: readonly ForgottenRoom[];
  /** How many of the assigned rooms an operator took out of the pool. */
  readonly takenOut: number;
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
  const { platform, log } = target;
  if (platform) return measureNow(target, platform, await probeFailure);
  return { row: rowSchema.parse((await log.newestMetrics()) ?? { TimeGenerated: "" }), own: undefined };
}

async function measureNow(
  target: Target,
  { conferences, status }: Platform,
  probeFailure: unknown,
): Promise<Measured> {
  const { gatewayName } = target.settings.rooms;
  let rooms: readonly ConferenceRow[] = [];
  let platformFailure = probeFailure;
  const ask = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    if (probeFailure !== undefined) throw probeFailure;
    return read().catch((error: unknown) => {
      platformFailure = error;
      throw error;
    });
  };
  const parts = {
    conferences: { list: async () => (rooms = await ask(async () => conferences.list())) },
    status: {
      liveConferences: async () => ask(async () => status.liveConferences()),
      alarms: async () => ask(async () => status.alarms()),
    },
  };
  const fingerprint = await target.fingerprint().catch(() => undefined);
  const measured = await measureTarget(target, parts, fingerprint, silentLog);
  const row = rowSchema.parse(measured.row);
  const markers = rooms.flatMap(({ description }) => parseMarker(description) ?? []);
  return {
    // Without the fingerprint of new rooms, every room would count as outdated.
    row: fingerprint === undefined ? { ...row, OutdatedRooms: null } : row,
    own: {
      orphaned: measured.unaccounted?.forgotten ?? [],
      takenOut: rooms.filter((room) => isTakenOut(room) && !isOfOtherGateway(room, gatewayName)).length,
      others: describeOthers(markers, gatewayName),
      platformFailure,
    },
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
