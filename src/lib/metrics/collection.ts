/** One metrics run: measures pool, queues and platform, writes the row, and refills the pool up to its minimum. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { PlatformStatus } from "../platform/status.ts";
import type { Replenishment } from "../pool/replenishment.ts";
import type { Queues } from "../queues/storage-account.ts";
import { describeAlarms } from "./alarms.ts";
import { countRooms } from "./room-counts.ts";
import type { MetricsRow, MetricsSink } from "./row.ts";

/** Collects metrics. */
export interface MetricsCollection {
  /**
   * Runs once. A value that cannot be measured is null in the row. Throws AggregateError if the row could not be
   * written or the pool could not be filled up.
   */
  collect(log: Log): Promise<void>;
}

/** What a metrics run measures, where it writes, and what identifies the instance. */
export interface MetricsOptions {
  readonly queues: Queues;
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

/** Creates the metrics collection. Does nothing until `collect` is called. */
export function createMetricsCollection(options: MetricsOptions): MetricsCollection {
  return {
    async collect(log) {
      const row = await measure(options, log);
      log.info("metrics-collected", row);
      const work = [options.sink(row)];
      // Makes up for lost replacement requests. Pooled and already requested rooms count towards the minimum.
      if (options.minRooms !== undefined) work.push(fillUpTo(options.minRooms, options.replenishment, log));
      const results = await Promise.allSettled(work);
      const errors: unknown[] = results.flatMap((result) =>
        result.status === "rejected" ? [result.reason] : [],
      );
      for (const error of errors) log.error("metrics-run-failed", {}, error);
      if (errors.length > 0) throw new AggregateError(errors, "metrics run failed");
    },
  };
}

async function fillUpTo(
  level: number,
  replenishment: Pick<Replenishment, "fillUpTo">,
  log: Log,
): Promise<void> {
  const count = await replenishment.fillUpTo(level);
  if (count > 0) log.warn("pool-refilled", { count, level });
}

async function measure(options: MetricsOptions, log: Log): Promise<MetricsRow> {
  const { queues, conferences, status, clock } = options;
  const orNull = async <T>(measurement: Promise<T>): Promise<T | null> =>
    measurement.catch((error: unknown) => {
      log.warn("measurement-failed", {}, error);
      return null;
    });
  const [poolDepth, deletionDepth, oldestSeconds, provisioningDepth, poisonDepth, rooms, live, alarms] =
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
    DeletionOldestSeconds: typeof oldestSeconds === "number" ? Math.round(oldestSeconds) : null,
    ProvisioningDepth: provisioningDepth,
    PoisonDepth: poisonDepth,
    ...countRooms({ rooms, live, poolDepth, now: clock.now() }),
    LiveConferences: live === null ? null : live.size,
    ...describeAlarms(alarms),
    MaximumRooms: options.maxRooms,
    PoolMinimum: options.minRooms ?? null,
  };
}
