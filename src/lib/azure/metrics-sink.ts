/** The metrics sink that the settings ask for. */
import type { TokenCredential } from "@azure/identity";
import type { MetricsSink } from "../metrics/row.ts";
import { isLoopback } from "../settings/formats.ts";
import type { Settings } from "../settings/settings.ts";

const timeoutSeconds = 20;

/**
 * Creates the sink that writes rows to the configured log workspace. Without a workspace it does nothing; rows are
 * logged anyway. The SDK is loaded with the first row, because many deployments have no workspace.
 */
export function createMetricsSink(
  logsIngestion: Settings["logsIngestion"],
  credential: TokenCredential,
): MetricsSink {
  if (logsIngestion === undefined) return async () => undefined;
  const options = {
    ...logsIngestion,
    credential: isLoopback(logsIngestion.endpoint) ? undefined : credential,
    timeoutSeconds,
  };
  let sink: Promise<MetricsSink> | undefined;
  return async (row) => {
    sink ??= import("./log-workspace.ts").then(({ createLogWorkspaceSink }) =>
      createLogWorkspaceSink(options),
    );
    await (await sink)(row);
  };
}
