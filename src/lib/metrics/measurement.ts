/** Measures pool, queues and platform once. */

import type { Log } from "../log.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformStatus } from "../platform/status.ts";
import { type MarkedRoom, markedRooms } from "../pool/marked-rooms.ts";
import type { Clock, Queues } from "../ports.ts";
import { describeAlarms } from "./alarms.ts";
import { countRooms } from "./room-counts.ts";
import type { MetricsRow } from "./row.ts";
import { findUnaccounted, type UnaccountedRooms } from "./unaccounted-rooms.ts";

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

/** The row, and what the rest of the run works with. */
export interface Measurement {
  readonly row: MetricsRow;
  readonly unaccounted: UnaccountedRooms | null;
  readonly rooms: readonly MarkedRoom[] | null;
  /** Names of the running conferences. */
  readonly live: ReadonlySet<string> | null;
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
  return { row, unaccounted, rooms, live };
}
