/** Timer, every 5 minutes and on startup: writes one metrics row. */
import { timerFunction } from "../lib/http/triggers.ts";
import type { MetricsCollection } from "../lib/metrics/collection.ts";

export const collectMetrics = timerFunction({
  schedule: "0 */5 * * * *",
  runOnStartup: true,
  async run({ metricsCollection }: { metricsCollection: MetricsCollection }, log) {
    await metricsCollection.collect(log);
  },
});
