/** Writes metrics rows to the log workspace through the Logs Ingestion API. */
import type { TokenCredential } from "@azure/identity";
import { isAggregateLogsUploadError, LogsIngestionClient } from "@azure/monitor-ingestion";
import type { MetricsSink } from "./collection.ts";

export interface LogWorkspaceOptions {
  readonly endpoint: string;
  readonly ruleId: string;
  readonly stream: string;
  /** None for a loopback endpoint, which is called without a token. */
  readonly credential: TokenCredential | undefined;
  /** For one row, its repetitions included. */
  readonly timeoutSeconds: number;
}

/** The sink throws the first failure with its cause; a row that is repeated after a lost answer has the same RunId. */
export function createLogWorkspaceSink({
  endpoint,
  ruleId,
  stream,
  credential,
  timeoutSeconds,
}: LogWorkspaceOptions): MetricsSink {
  const unused: TokenCredential = { getToken: async () => null };
  const client = new LogsIngestionClient(endpoint, credential ?? unused, {
    ...(credential === undefined && { allowInsecureConnection: true }),
  });
  if (credential === undefined) client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  return async (row) => {
    try {
      await client.upload(ruleId, stream, [row], { abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) });
    } catch (error) {
      // The aggregate's own text says nothing: what happened is in the cause of its first entry.
      const cause = isAggregateLogsUploadError(error) ? error.errors[0]?.cause : error;
      throw new Error("the log workspace did not take the row", { cause });
    }
  };
}
