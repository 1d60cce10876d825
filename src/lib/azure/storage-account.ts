/** Opens the queues of a storage account with the Azure SDK. */
import type { TokenCredential } from "@azure/identity";
import { QueueServiceClient } from "@azure/storage-queue";
import { type Queue, type Queues, queueNames } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import { createStorageQueue } from "./storage-queue.ts";

/** Which account to open, and how. */
export interface StorageAccountOptions {
  readonly storage: Settings["storage"];
  /** Used if the settings name the account by its address. */
  readonly credential: TokenCredential;
  /** Timeout of one call, including its retries. */
  readonly timeoutSeconds?: number;
}

// The event sink's caller waits 7 s and an API caller seldom longer; the SDK's own default is a minute.
const defaultTimeoutSeconds = 3;
const noRetries = { retryOptions: { maxTries: 1 } };
const withRetries = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

/** Opens every queue of the app. Does not connect: the first call of each queue does. */
export function openQueues(options: StorageAccountOptions): Queues {
  const openQueue = openStorageAccount(options);
  return {
    // The pool has no trigger: the host would drain it. The host reads the provisioning queue only.
    pool: openQueue(queueNames.pool, "text"),
    deletion: openQueue(queueNames.deletion, "text"),
    provisioning: openQueue(queueNames.provisioning, "base64"),
    poison: openQueue(queueNames.poison, "base64"),
  };
}

/** Creates the account's two SDK clients, without and with retries. Returns a function that opens a queue by name. */
export function openStorageAccount({
  storage,
  credential,
  timeoutSeconds = defaultTimeoutSeconds,
}: StorageAccountOptions): (name: string, encoding: "text" | "base64") => Queue {
  const open = (options: typeof noRetries) =>
    "connectionString" in storage
      ? QueueServiceClient.fromConnectionString(storage.connectionString, options)
      : new QueueServiceClient(storage.queueServiceUrl, credential, options);
  const singleTry = open(noRetries);
  const retrying = open(withRetries);
  return (name, encoding) =>
    createStorageQueue({
      singleTry: singleTry.getQueueClient(name),
      retrying: retrying.getQueueClient(name),
      encoding,
      timeoutSeconds,
    });
}
