/** Timer, every 5 minutes and on startup: writes one metrics row. */
import type { MetricsRun } from "../lib/metrics/run.ts";
import type { TimerFunction } from "../lib/triggers.ts";

export const collectMetrics: TimerFunction<{ metricsRun: MetricsRun }> = {
  schedule: "0 */5 * * * *",
  runOnStartup: true,
  run: async ({ metricsRun }, log) => metricsRun(log),
};
