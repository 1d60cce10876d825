/** The Azure SDK clients, made from the settings; what only some deployments need is loaded when it is first used. */
import type { TokenCredential } from "@azure/identity";
import { QueueServiceClient } from "@azure/storage-queue";
import type { MetricsSink } from "../metrics/collection.ts";
import type { MetricsRow } from "../metrics/row.ts";
import type { Settings } from "../settings/settings.ts";
import { isLoopback } from "../settings/values.ts";
import type { Queue } from "./queue.ts";
import { createStorageQueue } from "./storage-queue.ts";

const onceOptions = { retryOptions: { maxTries: 1 } };
const patientOptions = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };
const logsIngestionTimeoutSeconds = 20;

/** Makes queue ports by name; the time limit is that of one call, its repetitions included. */
export function createQueues(
  storage: Settings["storage"],
  timeoutSeconds: number,
): (name: string, encoding: "text" | "base64") => Queue {
  const open = (options: typeof onceOptions) =>
    "connectionString" in storage
      ? QueueServiceClient.fromConnectionString(storage.connectionString, options)
      : new QueueServiceClient(storage.queueServiceUrl, createCredential(storage), options);
  const once = open(onceOptions);
  const patient = open(patientOptions);
  return (name, encoding) =>
    createStorageQueue({
      once: once.getQueueClient(name),
      patient: patient.getQueueClient(name),
      encoding,
      timeoutSeconds,
    });
}

/** Where metrics rows go; nowhere but the log when no workspace is configured. */
export function createMetricsSink({ logsIngestion, storage }: Settings): MetricsSink {
  if (logsIngestion === undefined) return async () => undefined;
  const credential = isLoopback(logsIngestion.endpoint) ? undefined : createCredential(storage);
  let sink: Promise<MetricsSink> | undefined;
  return async (row: MetricsRow) => {
    sink ??= import("../metrics/log-workspace.ts").then(({ createLogWorkspaceSink }) =>
      createLogWorkspaceSink({ ...logsIngestion, credential, timeoutSeconds: logsIngestionTimeoutSeconds }),
    );
    await (await sink)(row);
  };
}

/** The app's identity in Azure: the managed one that the settings name, else what the computer is logged in with. */
function createCredential(storage: Settings["storage"]): TokenCredential {
  let credential: Promise<TokenCredential> | undefined;
  const load = async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import("@azure/identity");
    if ("connectionString" in storage || !storage.usesManagedIdentity) return new DefaultAzureCredential();
    const { identityClientId } = storage;
    return identityClientId === undefined
      ? new ManagedIdentityCredential()
      : new ManagedIdentityCredential({ clientId: identityClientId });
  };
  return {
    async getToken(scopes, options) {
      credential ??= load();
      return (await credential).getToken(scopes, options);
    },
  };
}
