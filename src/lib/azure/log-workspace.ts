/** Writes metrics rows to the log workspace through the Logs Ingestion API. */
import type { TokenCredential } from "@azure/identity";
import { isAggregateLogsUploadError, LogsIngestionClient } from "@azure/monitor-ingestion";
import type { MetricsSink } from "../metrics/row.ts";

/** Where rows are written and with which identity. */
export interface LogWorkspaceOptions {
  readonly endpoint: string;
  readonly ruleId: string;
  readonly stream: string;
  /** Undefined for a loopback endpoint, which is called without a token. */
  readonly credential: TokenCredential | undefined;
  /** Timeout of one row, including retries. */
  readonly timeoutSeconds: number;
}

/**
 * Creates a sink that writes to the log workspace. A row that is retried after a lost response keeps its RunId. The
 * sink throws an Error with the first failure as its cause if the row was not accepted.
 */
export function createLogWorkspaceSink({
  endpoint,
  ruleId,
  stream,
  credential,
  timeoutSeconds,
}: LogWorkspaceOptions): MetricsSink {
  const noCredential: TokenCredential = { getToken: async () => null };
  const client = new LogsIngestionClient(endpoint, credential ?? noCredential, {
    ...(credential === undefined && { allowInsecureConnection: true }),
  });
  if (credential === undefined) client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  return async (row) => {
    try {
      await client.upload(ruleId, stream, [row], { abortSignal: AbortSignal.timeout(timeoutSeconds * 1000) });
    } catch (error) {
      // The aggregate's message says nothing; the cause of its first entry says what happened.
      const cause = isAggregateLogsUploadError(error) ? error.errors[0]?.cause : error;
      throw new Error("the log workspace did not accept the row", { cause });
    }
  };
}
