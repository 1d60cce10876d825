/** Rules between settings, at their limits. */
import { expect, test } from "vitest";
import { faultsBetweenSettings } from "../../../src/lib/settings/rules.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

const storage = "AzureWebJobsStorage";
const oauth = { PLATFORM_OAUTH_CLIENT_ID: "client", PLATFORM_OAUTH_PRIVATE_KEY: "key" };

type Changes = Readonly<Record<string, string | undefined>>;

/** Returns the names with a fault. A setting that is undefined in the changes is missing. */
function faultyNames(changes: Changes): string[] {
  const given = Object.entries({ ...exampleEnvironment, ...changes }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  return faultsBetweenSettings(Object.fromEntries(given)).map((fault) => fault.split(":")[0] ?? "");
}

const withoutKey = { [storage]: undefined };
const withoutPassword = { PLATFORM_USERNAME: undefined, PLATFORM_PASSWORD: undefined };
const workspace = {
  LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
  LOGS_INGESTION_RULE_ID: "dcr-1",
  LOGS_INGESTION_STREAM: "Custom-X",
};

test.each<[string, Changes]>([
  ["a connection string only", {}],
  ["an account name only", { ...withoutKey, [`${storage}__accountName`]: "account" }],
  [
    "an account name with a queue address",
    {
      ...withoutKey,
      [`${storage}__accountName`]: "account",
      [`${storage}__queueServiceUri`]: "https://queues.example.com",
    },
  ],
  ["a connection string with a queue address", { [`${storage}__queueServiceUri`]: "https://q.example.com" }],
  [
    "a queue and a blob address",
    {
      ...withoutKey,
      [`${storage}__queueServiceUri`]: "https://queues.example.com",
      [`${storage}__blobServiceUri`]: "https://blobs.example.com",
    },
  ],
  ["an OAuth log-in", { ...withoutPassword, ...oauth }],
  ["a lease of 60 s and an age of 600 s", { POOL_LEASE_SECONDS: "60", GC_MINIMUM_AGE_SECONDS: "600" }],
  [
    "a short lease and a short age on loopback",
    { PLATFORM_URL: "http://127.0.0.1:1", POOL_LEASE_SECONDS: "59", GC_MINIMUM_AGE_SECONDS: "599" },
  ],
  ["a minimum equal to the maximum", { MAX_VMR: "10", POOL_MINIMUM: "10" }],
  [
    "a complete previous pair of credentials",
    { EVENT_SINK_PREVIOUS_USERNAME: "o", EVENT_SINK_PREVIOUS_PASSWORD: "p" },
  ],
  ["a complete workspace", workspace],
])("faultsBetweenSettings accepts %s", (_, changes) => {
  expect(faultyNames(changes)).toEqual([]);
});

test.each<[string, Changes, string]>([
  ["missing storage", withoutKey, storage],
  [
    "a queue address only, which leaves the host without storage for timer leases",
    { ...withoutKey, [`${storage}__queueServiceUri`]: "https://queues.example.com" },
    `${storage}__blobServiceUri`,
  ],
  [
    "a blob address only",
    { ...withoutKey, [`${storage}__blobServiceUri`]: "https://blobs.example.com" },
    storage,
  ],
  ["a missing log-in", withoutPassword, "PLATFORM_USERNAME"],
  ["a client without a key", { ...withoutPassword, PLATFORM_OAUTH_CLIENT_ID: "client" }, "PLATFORM_USERNAME"],
  ["a key without a client", { ...withoutPassword, PLATFORM_OAUTH_PRIVATE_KEY: "key" }, "PLATFORM_USERNAME"],
  [
    "a key in addition to a password log-in",
    { PLATFORM_OAUTH_PRIVATE_KEY: "key" },
    "PLATFORM_OAUTH_CLIENT_ID",
  ],
  [
    "a password in addition to an OAuth log-in",
    { ...oauth, PLATFORM_USERNAME: undefined },
    "PLATFORM_OAUTH_CLIENT_ID",
  ],
  [
    "a user name in addition to an OAuth log-in",
    { ...oauth, PLATFORM_PASSWORD: undefined },
    "PLATFORM_OAUTH_CLIENT_ID",
  ],
  ["a lease of 59 s", { POOL_LEASE_SECONDS: "59" }, "POOL_LEASE_SECONDS"],
  ["an age of 599 s", { GC_MINIMUM_AGE_SECONDS: "599" }, "GC_MINIMUM_AGE_SECONDS"],
  ["a minimum above the maximum", { MAX_VMR: "9", POOL_MINIMUM: "10" }, "POOL_MINIMUM"],
  [
    "a workspace without a rule",
    { ...workspace, LOGS_INGESTION_RULE_ID: undefined },
    "LOGS_INGESTION_ENDPOINT",
  ],
  [
    "a workspace without a stream",
    { ...workspace, LOGS_INGESTION_STREAM: undefined },
    "LOGS_INGESTION_ENDPOINT",
  ],
  ["a password that ends in a line break", { EVENT_SINK_PASSWORD: "secret\n" }, "EVENT_SINK_PASSWORD"],
  ["a password that ends in CRLF", { PLATFORM_PASSWORD: "secret\r\n" }, "PLATFORM_PASSWORD"],
  ["a rule only", { LOGS_INGESTION_RULE_ID: "dcr-1" }, "LOGS_INGESTION_ENDPOINT"],
])("faultsBetweenSettings rejects %s", (_, changes, name) => {
  expect(faultyNames(changes)).toEqual([name]);
});
