/** Measures pool, queues and platform, and writes one row a run. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformAlarm, PlatformStatus } from "../platform/status.ts";
import type { Replenishment } from "../pool/replenishment.ts";
import type { Queue } from "../queues/queue.ts";
import { parseMarker } from "../rooms/marker.ts";
import { isRoom } from "../rooms/rooms.ts";
import type { MetricsRow } from "./row.ts";

/** Where rows go besides the log. Throws when a row was not taken. */
export type MetricsSink = (row: MetricsRow) => Promise<void>;

export interface MetricsCollection {
  /** One run. What cannot be measured is null in the row; throws when the row or a refill could not be sent. */
  collect(log: Log): Promise<void>;
}

export interface MetricsOptions {
  readonly queues: { pool: Queue; deletion: Queue; provisioning: Queue; poison: Queue };
  readonly conferences: Pick<Conferences, "list">;
  readonly status: Pick<PlatformStatus, "liveConferences" | "alarms">;
  readonly replenishment: Pick<Replenishment, "fillUpTo">;
  readonly sink: MetricsSink;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly instanceId: string;
  readonly version: string;
  readonly maxRooms: number;
  readonly minRooms: number | undefined;
}

const maxAssignedMilliseconds = 24 * 3600 * 1000;
const maxAlarmNamesCharacters = 1000;

export function createMetricsCollection(options: MetricsOptions): MetricsCollection {
  const { queues, conferences, status, clock, minRooms } = options;

  async function collect(log: Log): Promise<void> {
    const row = await measure(log);
    log.info("metrics-collected", row);
    const work = [options.sink(row)];
    // Makes good any replacement that was lost; what is pooled and requested already counts.
    if (minRooms !== undefined) work.push(refill(minRooms, log));
    const failures = (await Promise.allSettled(work)).filter((result) => result.status === "rejected");
    for (const { reason } of failures) log.error("metrics-run-failed", {}, reason);
    if (failures.length > 0)
      throw new AggregateError(
        failures.map(({ reason }) => reason),
        "metrics run failed",
      );
  }

  async function refill(level: number, log: Log): Promise<void> {
    const count = await options.replenishment.fillUpTo(level);
    if (count > 0) log.warn("pool-refilled", { count, level });
  }

  async function measure(log: Log): Promise<MetricsRow> {
    const orNull = async <T>(measurement: Promise<T>): Promise<T | null> =>
      measurement.catch((error: unknown) => {
        log.warn("measurement-failed", {}, error);
        return null;
      });
    const [poolDepth, deletionDepth, oldest, provisioningDepth, poisonDepth, rooms, live, alarms] =
      await Promise.all([
        orNull(queues.pool.count()),
        orNull(queues.deletion.count()),
        orNull(queues.deletion.oldestAgeSeconds()),
        orNull(queues.provisioning.count()),
        orNull(queues.poison.count()),
        orNull(conferences.list()),
        orNull(status.liveConferences()),
        orNull(status.alarms()),
      ]);
    return {
      TimeGenerated: new Date(clock.now()).toISOString(),
      RunId: options.newId(),
      InstanceId: options.instanceId,
      Version: options.version,
      PlatformConnected: rooms !== null || live !== null || alarms !== null,
      PoolDepth: poolDepth,
      DeletionDepth: deletionDepth,
      DeletionOldestSeconds: typeof oldest === "number" ? Math.round(oldest) : null,
      ProvisioningDepth: provisioningDepth,
      PoisonDepth: poisonDepth,
      ...countRooms({ rooms, live, poolDepth, now: clock.now() }),
      LiveConferences: live === null ? null : live.size,
      ...describeAlarms(alarms),
      MaximumRooms: options.maxRooms,
      PoolMinimum: minRooms ?? null,
    };
  }

  return { collect };
}

interface RoomMeasurements {
  readonly rooms: readonly ConferenceRow[] | null;
  readonly live: ReadonlySet<string> | null;
  readonly poolDepth: number | null;
  readonly now: number;
}

/** Rooms by their marker. Unaccounted: pooled beyond the depth of the pool, or assigned for a day without a conference. */
function countRooms({ rooms, live, poolDepth, now }: RoomMeasurements) {
  if (rooms === null) return { AvailableRooms: null, InUseRooms: null, UnaccountedRooms: null };
  const ours = rooms.filter(isRoom).flatMap(({ name, description }) => {
    const marker = parseMarker(description);
    return marker ? [{ name, marker }] : [];
  });
  const pooled = ours.filter(({ marker }) => marker.state === "pooled").length;
  const forgotten = ours.filter(
    ({ name, marker }) =>
      marker.state === "assigned" &&
      !(now - Date.parse(marker.since) <= maxAssignedMilliseconds) &&
      live?.has(name) !== true,
  ).length;
  return {
    AvailableRooms: pooled,
    InUseRooms: ours.length - pooled,
    UnaccountedRooms:
      poolDepth === null || live === null ? null : Math.max(0, pooled - poolDepth) + forgotten,
  };
}

// The platform does not document its levels; these are the usual ones, the worst last.
const levels = ["unknown", "info", "warning", "minor", "major", "error", "critical"];

function describeAlarms(alarms: readonly PlatformAlarm[] | null) {
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
