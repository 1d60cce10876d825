/** Timer, every 5 minutes and on startup: writes one metrics row. */

import type { MetricsCollection } from "../lib/metrics/collection.ts";
import type { TimerFunction } from "../lib/triggers.ts";

export const collectMetrics: TimerFunction<{ metricsCollection: MetricsCollection }> = {
  schedule: "0 */5 * * * *",
  runOnStartup: true,
  async run({ metricsCollection }, log) {
    await metricsCollection.collect(log);
  },
};
