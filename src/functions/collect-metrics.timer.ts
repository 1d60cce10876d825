/** Timer, every 5 minutes and on startup: writes one metrics row. */
import type { MetricsCollection } from "../lib/metrics.ts";
import { timerFunction } from "../lib/triggers.ts";

export const collectMetrics = timerFunction({
  schedule: "0 */5 * * * *",
  runOnStartup: true,
  async run({ metricsCollection }: { metricsCollection: MetricsCollection }, log) {
    await metricsCollection.collect(log);
  },
});
