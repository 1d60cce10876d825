/** One metrics run: measures, writes the row, and restores the minimum level of the pool. */
import type { Log } from "../log.ts";
import type { Replenishment } from "../pool/replenishment.ts";
import type { MetricsSink } from "../ports.ts";
import { logUnaccounted, type MeasurementOptions, type MetricsRow, measure } from "./measurement.ts";

/**
 * Runs once. A value that cannot be measured is null in the row. Throws AggregateError if the row could not be written
 * or the pool could not be filled up.
 */
export type MetricsRun = (log: Log) => Promise<void>;

export interface MetricsOptions extends MeasurementOptions {
  readonly replenishment: Pick<Replenishment, "topUpTo">;
  readonly sink: MetricsSink<MetricsRow>;
  /**
   * Returns why the app's token could not be requested or renewed, or undefined. A valid token is used until its end.
   */
  readonly tokenFailure: () => unknown;
}

export function createMetricsRun(options: MetricsOptions): MetricsRun {
  async function topUpTo(level: number, log: Log): Promise<void> {
    const count = await options.replenishment.topUpTo(level);
    if (count > 0) log.warn("pool-refilled", { count, level });
  }

  return async (log) => {
    const { row, unaccounted } = await measure(options, log);
    // The operator's commands see which gateways run.
    log.info("metrics-collected", { ...row, gateway: options.gatewayName });
    if (unaccounted) logUnaccounted(unaccounted, log);
    const tokenFailure = options.tokenFailure();
    if (tokenFailure !== undefined) log.error("token-not-renewed", {}, tokenFailure);
    const work = [options.sink(row)];
    // Makes up for lost replacement requests.
    if (options.minLevel !== undefined) work.push(topUpTo(options.minLevel, log));
    const results = await Promise.allSettled(work);
    const errors: unknown[] = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason] : [],
    );
    for (const error of errors) log.error("metrics-run-failed", {}, error);
    if (errors.length > 0) throw new AggregateError(errors, "metrics run failed");
  };
}
