/** The metrics sink: writes rows to the log workspace through the Logs Ingestion API. */
import type { TokenCredential } from "@azure/identity";
import type { LogsIngestionClient } from "@azure/monitor-ingestion";
import type { MetricsSink } from "../ports.ts";
import { isLoopback } from "../settings/formats.ts";
import type { Settings } from "../settings/settings.ts";

const timeoutMilliseconds = 20_000;

/**
 * Creates the sink that writes rows to the configured log workspace. Without a workspace it does nothing; rows are
 * logged anyway. The SDK is loaded with the first row, because many deployments have no workspace. A row that is
 * retried after a lost response keeps its RunId. The sink throws an Error with the first failure as its cause if the
 * row was not accepted within the timeout, retries included.
 */
export function createMetricsSink<Row extends Readonly<Record<string, unknown>>>(
  logsIngestion: Settings["logsIngestion"],
  credential: TokenCredential,
): MetricsSink<Row> {
  if (logsIngestion === undefined) return async () => undefined;
  const { endpoint, ruleId, stream } = logsIngestion;
  let client: LogsIngestionClient | undefined;
  return async (row) => {
    client ??= await openWorkspace(endpoint, credential);
    const { isAggregateLogsUploadError } = await import("@azure/monitor-ingestion");
    try {
      const abortSignal = AbortSignal.timeout(timeoutMilliseconds);
      await client.upload(ruleId, stream, [row], { abortSignal });
    } catch (error) {
      // The aggregate's message says nothing; the cause of its first entry says what happened.
      const cause = isAggregateLogsUploadError(error) ? error.errors[0]?.cause : error;
      throw new Error("the log workspace did not accept the row", { cause });
    }
  };
}

/** A loopback endpoint is called without a token. */
async function openWorkspace(endpoint: string, credential: TokenCredential): Promise<LogsIngestionClient> {
  const { LogsIngestionClient } = await import("@azure/monitor-ingestion");
  if (!isLoopback(endpoint)) return new LogsIngestionClient(endpoint, credential);
  const noCredential: TokenCredential = { getToken: async () => null };
  const client = new LogsIngestionClient(endpoint, noCredential, { allowInsecureConnection: true });
  client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  return client;
}
