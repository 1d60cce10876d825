/** Rules between settings, at their limits. */
import { expect, test } from "vitest";
import { faultsBetweenSettings } from "../../../src/lib/settings/rules.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

const storage = "AzureWebJobsStorage";
const oauth = { PLATFORM_OAUTH_CLIENT_ID: "client", PLATFORM_OAUTH_PRIVATE_KEY: "key" };

type Changes = Readonly<Record<string, string | undefined>>;

/** Returns the faults. A setting that is undefined in the changes is missing. */
function faultsOf(changes: Changes): string[] {
  const given = Object.entries({ ...exampleEnvironment, ...changes }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  return faultsBetweenSettings(Object.fromEntries(given));
}

const queueUri = { [`${storage}__queueServiceUri`]: "https://queues.example.com" };
const blobUri = { [`${storage}__blobServiceUri`]: "https://blobs.example.com" };
const accountName = { [`${storage}__accountName`]: "account" };
const withoutKey = { [storage]: undefined };
const withoutPassword = { PLATFORM_USERNAME: undefined, PLATFORM_PASSWORD: undefined };
const rule = { LOGS_INGESTION_RULE_ID: "dcr-1" };
const stream = { LOGS_INGESTION_STREAM: "Custom-X" };
const endpoint = { LOGS_INGESTION_ENDPOINT: "https://logs.example.com" };
const shortTimes = {
  POOL_LEASE_SECONDS: "2",
  PLATFORM_TIMEOUT_SECONDS: "20",
  GC_MINIMUM_AGE_SECONDS: "599",
};

test.each<[string, Changes, ...string[]]>([
  ["a connection string only", {}],
  ["an account name only", { ...withoutKey, ...accountName }],
  ["a queue and a blob URL", { ...withoutKey, ...queueUri, ...blobUri }],
  ["OAuth credentials", { ...withoutPassword, ...oauth }],
  ["a lease of 60 s and an age of 600 s", { POOL_LEASE_SECONDS: "60", GC_MINIMUM_AGE_SECONDS: "600" }],
  ["a lease of four times the timeout", { POOL_LEASE_SECONDS: "80", PLATFORM_TIMEOUT_SECONDS: "20" }],
  ["a long timeout with the default lease", { PLATFORM_TIMEOUT_SECONDS: "20" }],
  ["a short lease and a short age on loopback", { PLATFORM_URL: "http://127.0.0.1:1", ...shortTimes }],
  ["a minimum equal to the maximum", { MAX_VMR: "10", POOL_MINIMUM: "10" }],
  ["a previous pair", { EVENT_SINK_PREVIOUS_USERNAME: "o", EVENT_SINK_PREVIOUS_PASSWORD: "p" }],
  ["a complete workspace", { ...endpoint, ...rule, ...stream }],
  ["a password with a line break in it", { PLATFORM_PASSWORD: "one\ntwo" }],
  ["a template that ends in a line break", { ROOM_TEMPLATE: "{}\n" }],
  ["missing storage", withoutKey, storage],
  // The host would be left without storage for timer leases.
  ["a queue URL only", { ...withoutKey, ...queueUri }, `${storage}__blobServiceUri`],
  ["a blob URL only", { ...withoutKey, ...blobUri }, storage],
  [
    "missing credentials of the platform",
    withoutPassword,
    "PLATFORM_USERNAME: is required with PLATFORM_PASSWORD, or PLATFORM_OAUTH_CLIENT_ID with PLATFORM_OAUTH_PRIVATE_KEY",
  ],
  ["a user name without a password", { PLATFORM_PASSWORD: undefined }, "PLATFORM_USERNAME"],
  ["a client without a key", { ...withoutPassword, PLATFORM_OAUTH_CLIENT_ID: "client" }, "PLATFORM_USERNAME"],
  [
    "OAuth and a user name",
    { ...oauth, PLATFORM_PASSWORD: undefined },
    "PLATFORM_OAUTH_CLIENT_ID: cannot be combined with PLATFORM_USERNAME or PLATFORM_PASSWORD",
  ],
  ["a previous user name only", { EVENT_SINK_PREVIOUS_USERNAME: "old" }, "EVENT_SINK_PREVIOUS_USERNAME"],
  ["a previous password only", { EVENT_SINK_PREVIOUS_PASSWORD: "old" }, "EVENT_SINK_PREVIOUS_USERNAME"],
  [
    "a lease of 59 s",
    { POOL_LEASE_SECONDS: "59" },
    "POOL_LEASE_SECONDS: must be at least 60 unless PLATFORM_URL is on loopback",
  ],
  [
    "a lease below four times the timeout",
    { POOL_LEASE_SECONDS: "79", PLATFORM_TIMEOUT_SECONDS: "20" },
    "POOL_LEASE_SECONDS",
  ],
  ["an age of 599 s", { GC_MINIMUM_AGE_SECONDS: "599" }, "GC_MINIMUM_AGE_SECONDS"],
  ["two faults", { ...stream, MAX_VMR: "9", POOL_MINIMUM: "10" }, "POOL_MINIMUM", "LOGS_INGESTION_ENDPOINT"],
  [
    "a workspace without a rule",
    { ...endpoint, ...stream },
    "LOGS_INGESTION_ENDPOINT: must be set together with LOGS_INGESTION_RULE_ID and LOGS_INGESTION_STREAM",
  ],
  ["a password that ends in a line break", { EVENT_SINK_PASSWORD: "secret\n" }, "EVENT_SINK_PASSWORD"],
  ["a Key Vault reference", { ROOM_HOST_PIN: "@Microsoft.KeyVault(SecretUri=x)" }, "ROOM_HOST_PIN"],
  ["a password that ends in CRLF", { PLATFORM_PASSWORD: "secret\r\n" }, "PLATFORM_PASSWORD"],
])(
  "With %s, `faultsBetweenSettings` names the faulty setting and its rule, if any",
  (_, changes, ...faults) => {
    expect(faultsOf(changes)).toEqual(faults.map((fault) => expect.stringMatching(`^${fault}\\b`)));
  },
);
