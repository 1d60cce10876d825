/** The rules between settings: which go together, which exclude each other, which bound each other. */
import { isLoopback } from "./values.ts";

/** The faults between settings; `given` are the settings that are not empty, by name. */
export function relationFaults(given: Readonly<Record<string, string>>): string[] {
  const has = (name: string) => name in given;
  const some = (...names: string[]) => names.some(has);
  const every = (...names: string[]) => names.every(has);
  const isLocal = isLoopback(given["PLATFORM_URL"] ?? "");
  const isBelow = (name: string, limit: number) => has(name) && Number(given[name]) < limit;
  const storage = "AzureWebJobsStorage";
  const rules: [boolean, string][] = [
    [
      !some(storage, `${storage}__accountName`, `${storage}__queueServiceUri`),
      `${storage}: is required, or ${storage}__accountName or ${storage}__queueServiceUri`,
    ],
    [
      has(`${storage}__queueServiceUri`) &&
        !some(storage, `${storage}__accountName`, `${storage}__blobServiceUri`),
      `${storage}__blobServiceUri: is required with ${storage}__queueServiceUri, or the host runs no timer`,
    ],
    [
      !every("PLATFORM_USERNAME", "PLATFORM_PASSWORD") &&
        !every("PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY"),
      "PLATFORM_USERNAME: is required with PLATFORM_PASSWORD, or PLATFORM_OAUTH_CLIENT_ID with PLATFORM_OAUTH_PRIVATE_KEY",
    ],
    [
      some("PLATFORM_USERNAME", "PLATFORM_PASSWORD") &&
        some("PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY"),
      "PLATFORM_OAUTH_CLIENT_ID: give one log-in to the platform, not both",
    ],
    [
      isBelow("POOL_LEASE_SECONDS", 60) && !isLocal,
      "POOL_LEASE_SECONDS: below 60 only when PLATFORM_URL is on loopback",
    ],
    [
      isBelow("GC_MINIMUM_AGE_SECONDS", 600) && !isLocal,
      "GC_MINIMUM_AGE_SECONDS: below 600 only when PLATFORM_URL is on loopback",
    ],
    [isBelow("MAX_VMR", Number(given["POOL_MINIMUM"])), "POOL_MINIMUM: must not be greater than MAX_VMR"],
    [
      has("EVENT_SINK_PREVIOUS_USERNAME") !== has("EVENT_SINK_PREVIOUS_PASSWORD"),
      "EVENT_SINK_PREVIOUS_USERNAME: goes together with EVENT_SINK_PREVIOUS_PASSWORD",
    ],
    [
      some("LOGS_INGESTION_ENDPOINT", "LOGS_INGESTION_RULE_ID", "LOGS_INGESTION_STREAM") &&
        !every("LOGS_INGESTION_ENDPOINT", "LOGS_INGESTION_RULE_ID", "LOGS_INGESTION_STREAM"),
      "LOGS_INGESTION_ENDPOINT: goes together with LOGS_INGESTION_RULE_ID and LOGS_INGESTION_STREAM",
    ],
  ];
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []));
}
