/** Measures pool, queues and platform once. */
import type { Log } from "../log.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformAlarm, PlatformStatus } from "../platform/status.ts";
import { type MarkedRoom, markedRooms } from "../pool/room.ts";
import type { Clock, Queues } from "../ports.ts";
import type { MetricsRow } from "./row.ts";

/** What is measured, and what identifies the instance and its settings in the row. */
export interface MeasurementOptions {
  readonly queues: Queues;
  readonly conferences: Pick<Conferences, "list">;
  readonly status: Pick<PlatformStatus, "liveConferences" | "alarms">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly instanceId: string;
  readonly version: string;
  readonly maxRooms: number;
  readonly minRooms: number | undefined;
  /** The fingerprint of new rooms. */
  readonly fingerprint: string;
}

/** The row, and the rooms behind its number of unaccounted ones. */
export interface Measurement {
  readonly row: MetricsRow;
  readonly unaccounted: UnaccountedRooms | null;
}

/** Measures once. Never throws: a value that cannot be measured is logged and null. */
export async function measure(options: MeasurementOptions, log: Log): Promise<Measurement> {
  const { queues, status, clock } = options;
  const orNull = async <T>(measurement: Promise<T>): Promise<T | null> =>
    measurement.catch((error: unknown) => {
      log.warn("measurement-failed", {}, error);
      return null;
    });
  const [poolDepth, deletionDepth, oldestSeconds, provisioningDepth, poisonDepth, conferences, live, alarms] =
    await Promise.all([
      orNull(queues.pool.count()),
      orNull(queues.deletion.count()),
      orNull(queues.deletion.oldestAgeSeconds()),
      orNull(queues.provisioning.count()),
      orNull(queues.poison.count()),
      orNull(options.conferences.list()),
      orNull(status.liveConferences()),
      orNull(status.alarms()),
    ]);
  const rooms = conferences && markedRooms(conferences);
  const unaccounted = findUnaccounted({ rooms, live, poolDepth, now: clock.now() });
  const row: MetricsRow = {
    TimeGenerated: new Date(clock.now()).toISOString(),
    RunId: options.newId(),
    InstanceId: options.instanceId,
    Version: options.version,
    PlatformConnected: rooms !== null || live !== null || alarms !== null,
    PoolDepth: poolDepth,
    DeletionDepth: deletionDepth,
    DeletionOldestSeconds: typeof oldestSeconds === "number" ? Math.round(oldestSeconds) : null,
    ProvisioningDepth: provisioningDepth,
    PoisonDepth: poisonDepth,
    ...countRooms(rooms, options.fingerprint),
    UnaccountedRooms: unaccounted && unaccounted.forgotten.length + unaccounted.beyondPool,
    LiveConferences: live && live.size,
    ...describeAlarms(alarms),
    MaximumRooms: options.maxRooms,
    PoolMinimum: options.minRooms ?? null,
  };
  return { row, unaccounted };
}

// The platform does not document its levels; these are the usual ones in ascending severity.
const levels = ["unknown", "info", "warning", "minor", "major", "error", "critical"];
const maxAlarmNamesCharacters = 1000;

/**
 * Returns the alarm columns of the metrics row: their number, the most severe level (`none` without alarms) and their
 * names, cut off after 1,000 characters. All are null if the alarms could not be read.
 */
function describeAlarms(
  alarms: readonly PlatformAlarm[] | null,
): Pick<MetricsRow, "AlarmCount" | "AlarmLevel" | "AlarmNames"> {
  if (alarms === null) return { AlarmCount: null, AlarmLevel: null, AlarmNames: null };
  const rank = ({ level }: PlatformAlarm) => levels.indexOf(level.toLowerCase());
  const worst = alarms.toSorted((one, other) => rank(other) - rank(one))[0];
  return {
    AlarmCount: alarms.length,
    AlarmLevel: worst?.level ?? "none",
    AlarmNames: [...new Set(alarms.map(({ name }) => name))]
      .toSorted()
      .join(",")
      .slice(0, maxAlarmNamesCharacters),
  };
}

type RoomColumns = Pick<MetricsRow, "AvailableRooms" | "InUseRooms" | "OutdatedRooms">;

/**
 * Returns the room columns of the metrics row; all are null if the rooms could not be read. Outdated rooms are pooled
 * rooms with another fingerprint than new rooms have, or without any.
 */
function countRooms(rooms: readonly MarkedRoom[] | null, fingerprint: string): RoomColumns {
  if (rooms === null) return { AvailableRooms: null, InUseRooms: null, OutdatedRooms: null };
  const pooled = rooms.filter(({ marker }) => marker.state === "pooled");
  return {
    AvailableRooms: pooled.length,
    InUseRooms: rooms.length - pooled.length,
    OutdatedRooms: pooled.filter(({ marker }) => marker.fingerprint !== fingerprint).length,
  };
}

const millisecondsPerHour = 3600_000;
const maxAssignedHours = 24;
const maxNamedRooms = 100;

/** The unaccounted rooms of one run. */
export interface UnaccountedRooms {
  /** Assigned rooms without a running conference, the oldest first. */
  readonly forgotten: readonly ForgottenRoom[];
  /** How many rooms are marked `pooled` beyond the depth of the pool. Which of them are in no queue is unknown. */
  readonly beyondPool: number;
}

export interface ForgottenRoom {
  readonly room: string;
  readonly reason: "assigned-too-long" | "assigned-at-unknown-time";
  readonly ageHours: number | null;
}

/** What unaccounted rooms are determined from; null if it could not be measured. */
interface RoomMeasurements {
  readonly rooms: readonly MarkedRoom[] | null;
  /** Names of the running conferences. */
  readonly live: ReadonlySet<string> | null;
  readonly poolDepth: number | null;
  /** Clock milliseconds. */
  readonly now: number;
}

/**
 * Returns the pooled rooms beyond the depth of the pool, and the rooms that were assigned a day ago and have no running
 * conference. Returns null if a measurement is missing.
 */
function findUnaccounted({ rooms, live, poolDepth, now }: RoomMeasurements): UnaccountedRooms | null {
  if (rooms === null || live === null || poolDepth === null) return null;
  const pooled = rooms.filter(({ marker }) => marker.state === "pooled").length;
  const forgotten = rooms
    .filter(({ name, marker }) => marker.state === "assigned" && !live.has(name))
    .flatMap(({ name, marker }) => describeForgotten(name, now - Date.parse(marker.since)))
    .toSorted((one, other) => (other.ageHours ?? 0) - (one.ageHours ?? 0));
  return { forgotten, beyondPool: Math.max(0, pooled - poolDepth) };
}

function describeForgotten(room: string, ageMilliseconds: number): ForgottenRoom[] {
  const hours = ageMilliseconds / millisecondsPerHour;
  if (Number.isNaN(hours)) return [{ room, reason: "assigned-at-unknown-time", ageHours: null }];
  if (hours <= maxAssignedHours) return [];
  return [{ room, reason: "assigned-too-long", ageHours: Math.floor(hours * 10) / 10 }];
}

/** Logs one line for each of up to 100 forgotten rooms, and one line with the number of all others. */
export function logUnaccounted({ forgotten, beyondPool }: UnaccountedRooms, log: Log): void {
  for (const { room, reason, ageHours } of forgotten.slice(0, maxNamedRooms))
    log.warn("room-unaccounted", { room, reason, ageHours });
  const notListed = Math.max(0, forgotten.length - maxNamedRooms);
  const count = notListed + beyondPool;
  if (count > 0) log.warn("rooms-unaccounted-unnamed", { count, notListed, beyondPool });
}
