/** One metrics run: measures, writes the row, fills the pool up to its minimum, and ends overdue rooms. */
import type { Log } from "../log.ts";
import type { OverdueRooms } from "../pool/overdue-rooms.ts";
import type { Replenishment } from "../pool/replenishment.ts";
import { logUnaccounted, type MeasurementOptions, measure } from "./measurement.ts";
import type { MetricsSink } from "./row.ts";

/** Collects metrics. */
export interface MetricsCollection {
  /**
   * Runs once. A value that cannot be measured is null in the row. Throws AggregateError if the row could not be
   * written, the pool could not be filled up, or an overdue room could not be queued for deletion.
   */
  collect(log: Log): Promise<void>;
}

/** What a metrics run measures, where it writes, what fills the pool up, and what ends overdue rooms. */
export interface MetricsOptions extends MeasurementOptions {
  readonly replenishment: Pick<Replenishment, "fillUpTo">;
  /** Undefined if rooms have no maximum age. */
  readonly overdueRooms: OverdueRooms | undefined;
  readonly sink: MetricsSink;
}

/** Creates the metrics collection. Does nothing until `collect` is called. */
export function createMetricsCollection(options: MetricsOptions): MetricsCollection {
  return {
    async collect(log) {
      const { row, unaccounted, rooms, live } = await measure(options, log);
      // The operator's commands compare pooled rooms with the fingerprint of new ones.
      log.info("metrics-collected", { ...row, fingerprint: options.fingerprint });
      if (unaccounted) logUnaccounted(unaccounted, log);
      const work = [options.sink(row)];
      // Makes up for lost replacement requests. Pooled and already requested rooms count towards the minimum.
      if (options.minRooms !== undefined) work.push(fillUpTo(options.minRooms, options.replenishment, log));
      if (options.overdueRooms)
        work.push(
          options.overdueRooms.queueForDeletion({ rooms, live, deletionDepth: row.DeletionDepth }, log),
        );
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
