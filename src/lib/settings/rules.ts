/** The rules between settings: which ones require, exclude or limit each other. */
import { isLoopback } from "./formats.ts";

const storage = "AzureWebJobsStorage";
const accountName = `${storage}__accountName`;
const queueUrl = `${storage}__queueServiceUri`;
const blobUrl = `${storage}__blobServiceUri`;
const basic = ["PLATFORM_USERNAME", "PLATFORM_PASSWORD"];
const oauth = ["PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY"];

/** Settings of a group are either all set or all missing. */
const groups = [
  ["EVENT_SINK_PREVIOUS_USERNAME", "EVENT_SINK_PREVIOUS_PASSWORD"],
  ["LOGS_INGESTION_ENDPOINT", "LOGS_INGESTION_RULE_ID", "LOGS_INGESTION_STREAM"],
] as const;

type Rule = readonly [isBroken: boolean, fault: string];

/** Returns the faults between settings. `given` contains the settings that are not empty, by name. */
export function faultsBetweenSettings(given: Readonly<Record<string, string>>): string[] {
  const hasAny = (...names: readonly string[]) => names.some((name) => name in given);
  const hasAll = (...names: readonly string[]) => names.every((name) => name in given);
  // A missing setting is not a number, so no comparison with it is true.
  const numberOf = (name: string) => Number(given[name]);
  const leaseSeconds = numberOf("POOL_LEASE_SECONDS");
  const isRemote = !isLoopback(given["PLATFORM_URL"] ?? "");
  const unlessLocal = "unless PLATFORM_URL is on loopback";

  const rules: readonly Rule[] = [
    [!hasAny(storage, accountName, queueUrl), `${storage}: is required, or ${accountName} or ${queueUrl}`],
    [
      hasAll(queueUrl) && !hasAny(storage, accountName, blobUrl),
      `${blobUrl}: is required with ${queueUrl}; the host cannot run timers without it`,
    ],
    [
      !hasAll(...basic) && !hasAll(...oauth),
      `${basic[0]}: is required with ${basic[1]}, or ${oauth.join(" with ")}`,
    ],
    [hasAny(...basic) && hasAny(...oauth), `${oauth[0]}: cannot be combined with ${basic.join(" or ")}`],
    [isRemote && leaseSeconds < 60, `POOL_LEASE_SECONDS: must be at least 60 ${unlessLocal}`],
    [
      isRemote && leaseSeconds < 4 * numberOf("PLATFORM_TIMEOUT_SECONDS"),
      `POOL_LEASE_SECONDS: must be at least 4 times PLATFORM_TIMEOUT_SECONDS ${unlessLocal}`,
    ],
    [
      isRemote && numberOf("GC_MINIMUM_AGE_SECONDS") < 600,
      `GC_MINIMUM_AGE_SECONDS: must be at least 600 ${unlessLocal}`,
    ],
    [numberOf("MAX_VMR") < numberOf("POOL_MINIMUM"), "POOL_MINIMUM: must not be greater than MAX_VMR"],
    ...groups.map(
      ([first, ...others]): Rule => [
        hasAny(first, ...others) && !hasAll(first, ...others),
        `${first}: must be set together with ${others.join(" and ")}`,
      ],
    ),
    ...Object.entries(given).flatMap(([name, value]): Rule[] => [
      [value.startsWith("@Microsoft.KeyVault("), `${name}: the Key Vault reference was not resolved`],
      // Passwords keep surrounding spaces, so the line break that ends a file would become part of one.
      [
        name.endsWith("_PASSWORD") && /[\r\n]$/.test(value),
        `${name}: ends in a line break; store the secret without it`,
      ],
    ]),
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
}
