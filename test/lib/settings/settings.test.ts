/** The settings: what the app reads from the environment, and errors that name settings without their values. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadSettings, settingNames } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;
const load = (changes: Environment = {}) => loadSettings({ ...exampleEnvironment, ...changes });

test("loadSettings returns the required settings with the documented defaults", () => {
  expect(load()).toEqual({
    storage: { connectionString: "UseDevelopmentStorage=true" },
    platform: {
      url: "https://platform.example.com",
      authorities: undefined,
      secureContext: undefined,
      timeoutSeconds: 10,
      maxConcurrency: 5,
      logIn: { username: "api-user", password: "platform-password-9f2c" },
    },
    rooms: { hostPin: "482913", template: {}, gatewayName: "vmr-gateway", maxAgeHours: undefined },
    pool: { maxRooms: 50, minRooms: undefined, leaseSeconds: 300, readyDelaySeconds: 0 },
    serviceTagBaseUrl: undefined,
    unknownNames: [],
    garbage: { maxMessages: 20, minAgeSeconds: 600, unmarkedRooms: "collect" },
    bearer: {
      authority: "https://login.microsoftonline.com",
      tenantId: "11111111-1111-4111-8111-111111111111",
      audiences: ["api://22222222-2222-4222-8222-222222222222"],
      clientIds: ["22222222-2222-4222-8222-222222222222"],
      requiredRole: undefined,
      explainsFaults: false,
    },
    contactCentre: {
      url: "https://api.mypurecloud.de",
      divisionIds: ["55555555-5555-4555-8555-555555555555"],
    },
    eventSink: [{ username: "sink", password: "sink-password-7d1e" }],
    logsIngestion: undefined,
  });
});

test("loadSettings treats an empty or blank setting as missing", () => {
  expect(load({ POOL_MINIMUM: "", AUTH_REQUIRED_ROLE: "  ", GC_MAX_MESSAGES: "" })).toEqual(load());
});

const template = { host_view: "two_mains_twentyone_pips", ivr_theme: null };
const pemOf = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString().trim();
const pem = pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

test.each<[string, Environment, object]>([
  ["removes surrounding spaces", { MAX_VMR: " 7 " }, { pool: { maxRooms: 7 } }],
  [
    "keeps the spaces around passwords only",
    { EVENT_SINK_PASSWORD: " word ", PLATFORM_USERNAME: " user " },
    {
      eventSink: [{ username: "sink", password: " word " }],
      platform: { logIn: { username: "user" } },
    },
  ],
  [
    "splits lists at commas, with or without spaces",
    { AUTH_AUDIENCES: "one, two,three" },
    { bearer: { audiences: ["one", "two", "three"] } },
  ],
  [
    "removes the trailing slash of a URL and surrounding space, and keeps its path",
    {
      PLATFORM_URL: " https://platform.example.com/\n",
      SERVICE_TAG_BASE_URL: "https://A.example.com/Session//",
    },
    {
      platform: { url: "https://platform.example.com" },
      serviceTagBaseUrl: "https://a.example.com/Session",
    },
  ],
  ["reads the room template as JSON", { ROOM_TEMPLATE: JSON.stringify(template) }, { rooms: { template } }],
  [
    "lets callers with an invalid token know the reason if the token issuer is on this machine",
    { AUTH_AUTHORITY: "http://127.0.0.1:7000" },
    { bearer: { explainsFaults: true } },
  ],
  ["accepts a host PIN with a final #", { ROOM_HOST_PIN: "12345#" }, { rooms: { hostPin: "12345#" } }],
  [
    "appends a previous pair of event-sink credentials",
    { EVENT_SINK_PREVIOUS_USERNAME: "old", EVENT_SINK_PREVIOUS_PASSWORD: "older" },
    {
      eventSink: [
        { username: "sink", password: "sink-password-7d1e" },
        { username: "old", password: "older" },
      ],
    },
  ],
  [
    "replaces the password by OAuth, and \\n in the key by a line break",
    {
      PLATFORM_USERNAME: undefined,
      PLATFORM_PASSWORD: undefined,
      PLATFORM_OAUTH_CLIENT_ID: "client",
      PLATFORM_OAUTH_PRIVATE_KEY: pem.replaceAll("\n", "\\n"),
      PLATFORM_OAUTH_SCOPE: "rooms",
    },
    { platform: { logIn: { clientId: "client", privateKey: pem, scope: "rooms" } } },
  ],
  [
    "reads the settings of the log workspace together",
    {
      LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
      LOGS_INGESTION_RULE_ID: "dcr-1",
      LOGS_INGESTION_STREAM: "Custom-X",
    },
    { logsIngestion: { endpoint: "https://logs.example.com", ruleId: "dcr-1", stream: "Custom-X" } },
  ],
  [
    "replaces defaults",
    {
      PLATFORM_TIMEOUT_SECONDS: "9",
      PLATFORM_MAX_CONCURRENCY: "7",
      GATEWAY_NAME: "production",
      ROOM_MAXIMUM_AGE_HOURS: "48",
      POOL_LEASE_SECONDS: "200",
      POOL_MINIMUM: "50",
      POOL_READY_DELAY_SECONDS: "90",
      GC_MAX_MESSAGES: "40",
      GC_MINIMUM_AGE_SECONDS: "900",
      AUTH_REQUIRED_ROLE: "Rooms.Manage",
      AUTH_AUTHORITY: "https://login.example.com",
    },
    {
      platform: { timeoutSeconds: 9, maxConcurrency: 7 },
      rooms: { gatewayName: "production", maxAgeHours: 48 },
      pool: { minRooms: 50, leaseSeconds: 200, readyDelaySeconds: 90 },
      garbage: { maxMessages: 40, minAgeSeconds: 900 },
      bearer: {
        authority: "https://login.example.com",
        requiredRole: "Rooms.Manage",
        explainsFaults: false,
      },
    },
  ],
])("loadSettings %s", (_, changes, expected) => {
  expect(load(changes)).toMatchObject(expected);
});

const byAccountName = { AzureWebJobsStorage: undefined, AzureWebJobsStorage__accountName: "account" };
const [queues, blobs] = ["https://queues.example.com", "https://blobs.example.com"];
test.each<[string, Environment, object]>([
  [
    "the connection string rather than an account name",
    { AzureWebJobsStorage__accountName: "account" },
    { connectionString: "UseDevelopmentStorage=true" },
  ],
  [
    "the URLs of an account name",
    byAccountName,
    {
      queueServiceUrl: "https://account.queue.core.windows.net",
      blobServiceUrl: "https://account.blob.core.windows.net",
      usesManagedIdentity: false,
    },
  ],
  [
    "URLs rather than an account name, with a user-assigned identity",
    {
      ...byAccountName,
      AzureWebJobsStorage__queueServiceUri: `${queues}/`,
      AzureWebJobsStorage__blobServiceUri: blobs,
      AzureWebJobsStorage__credential: "managedidentity",
      AzureWebJobsStorage__clientId: "77777777-7777-4777-8777-777777777777",
    },
    {
      queueServiceUrl: queues,
      blobServiceUrl: blobs,
      usesManagedIdentity: true,
      identityClientId: "77777777-7777-4777-8777-777777777777",
    },
  ],
])("loadSettings returns as storage %s", (_, changes, storage) => {
  expect(load(changes).storage).toEqual(storage);
});

describe("Invalid settings", () => {
  /** Returns the error's message, or undefined if the environment loads. */
  function errorOf(changes: Environment): string | undefined {
    try {
      load(changes);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : "not an error";
    }
  }

  /** Returns the names with a fault in order. Lines of another format are returned unchanged. */
  function faultyNames(changes: Environment): string[] {
    const [, ...lines] = (errorOf(changes) ?? "").split("\n");
    const reason = /^- (\w+): (?:must|is required|cannot)\b/;
    return lines.map((line) => reason.exec(line)?.[1] ?? line);
  }

  test.each(Object.keys(exampleEnvironment))("loadSettings throws without %s", (name) => {
    const expected = name === "PLATFORM_PASSWORD" ? "PLATFORM_USERNAME" : name;
    expect(faultyNames({ [name]: undefined })).toEqual([expected]);
    expect(faultyNames({ [name]: "  " })).toEqual([expected]);
  });

  test("loadSettings reports missing settings as required, and says why others are invalid", () => {
    expect(errorOf({ MAX_VMR: undefined, ROOM_HOST_PIN: "12" })).toBe(
      "Invalid settings:\n- ROOM_HOST_PIN: must be 4 to 20 digits, or 3 to 19 digits and a #\n- MAX_VMR: is required",
    );
  });

  test("loadSettings returns the unknown names of a deployment's settings", () => {
    const names = "MAX_VMR,UNMARKED_ROOM,MY_WEBSITE_NAME,AzureWebJobs.collectGarbage.Disabled";
    expect(load({ GIVEN_SETTING_NAMES: names }).unknownNames).toEqual(["UNMARKED_ROOM", "MY_WEBSITE_NAME"]);
    expect(load({}).unknownNames).toEqual([]);
  });

  test("loadSettings reports an unresolved Key Vault reference without its text", () => {
    const reference = "@Microsoft.KeyVault(SecretUri=https://vault.example.com/secrets/pin)";
    const error = errorOf({ EVENT_SINK_PASSWORD: reference });
    expect(error).toContain("- EVENT_SINK_PASSWORD: the Key Vault reference was not resolved");
    expect(error).not.toContain("vault.example.com");
  });

  test("loadSettings throws an error that names settings and contains no values", () => {
    const start = fc.oneof(fc.string(), fc.constantFrom("5", "https://a.example.com/", "{}", "[1,"));
    // Long enough not to be part of a message by chance.
    const value = start.map((text) => `${text}§7f3a91`);
    const values = Object.fromEntries(settingNames.map((name) => [name, value]));
    fc.assert(
      fc.property(fc.record(values, { requiredKeys: [] }), (changes) => {
        const [title, ...faults] = (errorOf(changes) ?? "Invalid settings:").split("\n");
        expect(title).toBe("Invalid settings:");
        const names = faults.map((line) => /^- (\w+): \S/.exec(line)?.[1] ?? line);
        expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
        expect(faults.join("\n")).not.toContain("§7f3a91");
      }),
      { numRuns: 25 },
    );
  });
});
