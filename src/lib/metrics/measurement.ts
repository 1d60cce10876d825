/** Measures pool, queues and platform once. Infrastructure and alerts use the same columns. */
import type { Log } from "../log.ts";
import { type MarkedRoom, markedRooms } from "../ownership/room.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformAlarm, PlatformStatus } from "../platform/status-api.ts";
import { type Clock, timestampOf } from "../ports.ts";
import type { QueueMessage, Queues } from "../queue.ts";

/** Column type by name, as `Custom-VmrGatewayMetrics_CL` has them in the data collection rule. */
export const metricsColumns = {
  TimeGenerated: "datetime",
  RunId: "string",
  InstanceId: "string",
  Version: "string",
  PlatformConnected: "boolean",
  PoolDepth: "int",
  DeletionDepth: "int",
  DeletionOldestSeconds: "int",
  ProvisioningDepth: "int",
  PoisonDepth: "int",
  AvailableRooms: "int",
  InUseRooms: "int",
  OutdatedRooms: "int",
  UnaccountedRooms: "int",
  LiveConferences: "int",
  AlarmCount: "int",
  AlarmLevel: "string",
  AlarmNames: "string",
  MaximumRooms: "int",
  PoolMinimum: "int",
} as const;

type ColumnType = { datetime: string; string: string; boolean: boolean; int: number };

/** The result of one metrics run. A value that could not be measured is null. */
export type MetricsRow = {
  -readonly [column in keyof typeof metricsColumns]: ColumnType[(typeof metricsColumns)[column]] | null;
};

/** The measured parts, and the values that identify the instance and its settings in the row. */
export interface MeasurementOptions {
  readonly queues: Queues;
  readonly conferences: Pick<Conferences, "list">;
  readonly status: Pick<PlatformStatus, "liveConferences" | "alarms">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly instanceId: string;
  readonly version: string;
  readonly maxLevel: number;
  readonly minLevel: number | undefined;
  /** The fingerprint of new rooms. */
  readonly fingerprint: string;
  readonly gatewayName: string;
}

export type Measurement = Awaited<ReturnType<typeof measure>>;

/** The unaccounted rooms of one run. */
interface UnaccountedRooms {
  /** Assigned rooms without a running conference, the oldest first. */
  readonly forgotten: readonly ForgottenRoom[];
  /** How many rooms are marked `pooled` beyond the depth of the pool. Which of them are in no queue is unknown. */
  readonly beyondPool: number;
}

/** A room whose conference should have ended long ago. `ageHours` is null if the marker has no readable time. */
interface ForgottenRoom {
  readonly room: string;
  readonly reason: "assigned-too-long" | "assigned-at-unknown-time";
  readonly ageHours: number | null;
}

// No call to the platform starts later, because the next run follows after five minutes.
const maxRunSeconds = 240;

/**
 * Measures once, and returns the row with the unaccounted rooms behind their number. Never throws: a value that cannot
 * be measured is logged and null.
 */
export async function measure(options: MeasurementOptions, log: Log) {
  const { queues, status, clock } = options;
  const limits = { startBefore: clock.now() + maxRunSeconds * 1000 };
  const orNull = async <T>(measurement: Promise<T>): Promise<T | null> =>
    measurement.catch((error: unknown) => {
      log.warn("measurement-failed", {}, error);
      return null;
    });
  const [poolDepth, deletionDepth, waiting, provisioningDepth, poisonDepth, conferences, live, alarms] =
    await Promise.all([
      orNull(queues.pool.count()),
      orNull(queues.deletion.count()),
      orNull(queues.deletion.peek()),
      orNull(queues.provisioning.count()),
      orNull(queues.poison.count()),
      orNull(options.conferences.list(limits)),
      orNull(status.liveConferences(limits)),
      orNull(status.alarms(limits)),
    ]);
  const rooms = conferences && markedRooms(conferences, options.gatewayName);
  const pooled = rooms?.filter(({ marker }) => marker.state === "pooled");
  const assigned = rooms?.filter(({ marker }) => marker.state === "assigned");
  const unaccounted: UnaccountedRooms | null =
    pooled && assigned && live && poolDepth !== null
      ? {
          forgotten: findForgotten(assigned, live, clock.now()),
          beyondPool: Math.max(0, pooled.length - poolDepth),
        }
      : null;
  const row: MetricsRow = {
    TimeGenerated: timestampOf(clock),
    RunId: options.newId(),
    InstanceId: options.instanceId,
    Version: options.version,
    PlatformConnected: rooms !== null || live !== null || alarms !== null,
    PoolDepth: poolDepth,
    DeletionDepth: deletionDepth,
    DeletionOldestSeconds: waiting?.length ? Math.round(oldestAgeOf(waiting)) : null,
    ProvisioningDepth: provisioningDepth,
    PoisonDepth: poisonDepth,
    // No claim can get a room that is in no queue.
    AvailableRooms: pooled ? Math.min(pooled.length, poolDepth ?? pooled.length) : null,
    InUseRooms: assigned?.length ?? null,
    // Made with other settings than new rooms, or by a release that wrote no fingerprint.
    OutdatedRooms: pooled?.filter(({ marker }) => marker.fingerprint !== options.fingerprint).length ?? null,
    UnaccountedRooms: unaccounted && unaccounted.forgotten.length + unaccounted.beyondPool,
    LiveConferences: live?.size ?? null,
    AlarmCount: alarms?.length ?? null,
    AlarmLevel: alarms && mostSevereLevel(alarms),
    AlarmNames: alarms && namesOf(alarms),
    MaximumRooms: options.maxLevel,
    PoolMinimum: options.minLevel ?? null,
  };
  return { row, unaccounted };
}

/** Returns the age of the oldest message in seconds; of none, minus infinity. */
export function oldestAgeOf(messages: readonly Pick<QueueMessage, "ageSeconds">[]): number {
  return Math.max(...messages.map(({ ageSeconds }) => ageSeconds));
}

// The platform does not document its levels; these are the usual ones in ascending severity.
const levels = ["unknown", "info", "warning", "minor", "major", "error", "critical"];
const maxAlarmNamesCharacters = 1000;

function mostSevereLevel(alarms: readonly PlatformAlarm[]): string {
  const rank = ({ level }: PlatformAlarm) => levels.indexOf(level.toLowerCase());
  return alarms.toSorted((one, other) => rank(other) - rank(one))[0]?.level ?? "none";
}

function namesOf(alarms: readonly PlatformAlarm[]): string {
  const names = new Set(alarms.map(({ name }) => name));
  return [...names].toSorted().join(",").slice(0, maxAlarmNamesCharacters);
}

const millisecondsPerHour = 3600_000;
const maxAssignedHours = 24;
const maxNamedRooms = 100;

/** Returns the rooms that were assigned a day ago and have no running conference, the oldest first. */
function findForgotten(
  assigned: readonly MarkedRoom[],
  live: ReadonlySet<string>,
  now: number,
): ForgottenRoom[] {
  return assigned
    .filter(({ name }) => !live.has(name))
    .flatMap(({ name: room, marker }): ForgottenRoom[] => {
      const hours = (now - Date.parse(marker.since)) / millisecondsPerHour;
      if (Number.isNaN(hours)) return [{ room, reason: "assigned-at-unknown-time", ageHours: null }];
      if (hours <= maxAssignedHours) return [];
      return [{ room, reason: "assigned-too-long", ageHours: Math.floor(hours * 10) / 10 }];
    })
    .toSorted((one, other) => (other.ageHours ?? 0) - (one.ageHours ?? 0));
}

/** Logs one line for each of up to 100 unaccounted rooms, and one line with the number of all others. */
export function logUnaccounted({ forgotten, beyondPool }: UnaccountedRooms, log: Log): void {
  for (const { room, reason, ageHours } of forgotten.slice(0, maxNamedRooms))
    log.warn("room-unaccounted", { room, reason, ageHours });
  const notListed = Math.max(0, forgotten.length - maxNamedRooms);
  const count = notListed + beyondPool;
  if (count > 0) log.warn("rooms-unaccounted-unnamed", { count, notListed, beyondPool });
}
