/** The rules between settings: which ones require, exclude or limit each other. */
import { isLoopback } from "./formats.ts";

type Given = Readonly<Record<string, string>>;

const storage = "AzureWebJobsStorage";

/** Returns the faults between settings. `given` contains the settings that are not empty, by name. */
export function faultsBetweenSettings(given: Given): string[] {
  return [
    ...storageFaults(given),
    ...platformLogInFaults(given),
    ...limitFaults(given),
    ...incompleteGroups(given),
    ...passwordFaults(given),
  ];
}

function hasAny(given: Given, names: readonly string[]): boolean {
  return names.some((name) => name in given);
}

function hasAll(given: Given, names: readonly string[]): boolean {
  return names.every((name) => name in given);
}

function storageFaults(given: Given): string[] {
  const [accountName, queueAddress, blobAddress] = [
    `${storage}__accountName`,
    `${storage}__queueServiceUri`,
    `${storage}__blobServiceUri`,
  ];
  if (!hasAny(given, [storage, accountName, queueAddress]))
    return [`${storage}: is required, or ${accountName} or ${queueAddress}`];
  if (!hasAny(given, [storage, accountName, blobAddress]))
    return [`${blobAddress}: is required with ${queueAddress}; the host cannot run timers without it`];
  return [];
}

function platformLogInFaults(given: Given): string[] {
  const basic = ["PLATFORM_USERNAME", "PLATFORM_PASSWORD"];
  const oauth = ["PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY"];
  const faults: string[] = [];
  if (!hasAll(given, basic) && !hasAll(given, oauth)) {
    faults.push(
      "PLATFORM_USERNAME: is required with PLATFORM_PASSWORD, or PLATFORM_OAUTH_CLIENT_ID with PLATFORM_OAUTH_PRIVATE_KEY",
    );
  }
  if (hasAny(given, basic) && hasAny(given, oauth))
    faults.push("PLATFORM_OAUTH_CLIENT_ID: cannot be combined with PLATFORM_USERNAME or PLATFORM_PASSWORD");
  return faults;
}

function limitFaults(given: Given): string[] {
  const isLocal = isLoopback(given["PLATFORM_URL"] ?? "");
  const isBelow = (name: string, limit: number) => name in given && Number(given[name]) < limit;
  const faults: string[] = [];
  if (!isLocal && isBelow("POOL_LEASE_SECONDS", 60))
    faults.push("POOL_LEASE_SECONDS: must be at least 60 unless PLATFORM_URL is on loopback");
  const timeoutSeconds = Number(given["PLATFORM_TIMEOUT_SECONDS"]);
  if (!isLocal && isBelow("POOL_LEASE_SECONDS", 4 * timeoutSeconds))
    faults.push(
      "POOL_LEASE_SECONDS: must be at least 4 times PLATFORM_TIMEOUT_SECONDS unless PLATFORM_URL is on loopback",
    );
  if (!isLocal && isBelow("GC_MINIMUM_AGE_SECONDS", 600))
    faults.push("GC_MINIMUM_AGE_SECONDS: must be at least 600 unless PLATFORM_URL is on loopback");
  if (isBelow("MAX_VMR", Number(given["POOL_MINIMUM"])))
    faults.push("POOL_MINIMUM: must not be greater than MAX_VMR");
  return faults;
}

const groups = [
  ["EVENT_SINK_PREVIOUS_USERNAME", "EVENT_SINK_PREVIOUS_PASSWORD"],
  ["LOGS_INGESTION_ENDPOINT", "LOGS_INGESTION_RULE_ID", "LOGS_INGESTION_STREAM"],
] as const;

/** Settings of a group are either all set or all missing. */
function incompleteGroups(given: Given): string[] {
  return groups
    .filter((names) => hasAny(given, names) && !hasAll(given, names))
    .map(([first, ...others]) => `${first}: must be set together with ${others.join(" and ")}`);
}

/** Passwords keep surrounding spaces, so the line break that ends a file would become part of one. */
function passwordFaults(given: Given): string[] {
  return Object.entries(given)
    .filter(([name, value]) => name.endsWith("_PASSWORD") && /[\r\n]$/.test(value))
    .map(([name]) => `${name}: ends in a line break; store the secret without it`);
}
