/** The settings: what the app reads from the environment, and errors that name settings without their values. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadSettings, settingNames } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment, oauthEnvironment } from "../../support/example-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;
const load = (changes: Environment = {}) => loadSettings({ ...exampleEnvironment, ...changes });

test("`loadSettings` returns each setting at its place, without surrounding spaces except those of passwords", () => {
  const template = { host_view: "two_mains_twentyone_pips", ivr_theme: null };
  const environment = {
    PLATFORM_URL: " https://platform.example.com:8443/\n",
    PLATFORM_USERNAME: " user ",
    PLATFORM_TIMEOUT_SECONDS: "9",
    PLATFORM_MAX_CONCURRENCY: "7",
    ROOM_HOST_PIN: "12345#",
    ROOM_TEMPLATE: JSON.stringify(template),
    GATEWAY_NAME: "production",
    ROOM_MAXIMUM_AGE_HOURS: "48",
    MAX_VMR: " 60 ",
    POOL_MINIMUM: "55",
    POOL_LEASE_SECONDS: "200",
    POOL_READY_DELAY_SECONDS: "90",
    SERVICE_TAG_BASE_URL: "https://A.example.com/Session//#",
    UNMARKED_ROOMS: "keep",
    GC_MAX_MESSAGES: "40",
    GC_MINIMUM_AGE_SECONDS: "900",
    AUTH_TENANT_ID: "aaaaaaaa-1111-4111-8111-111111111111",
    AUTH_AUDIENCES: "one, two,three",
    AUTH_CLIENT_IDS: "four,five",
    AUTH_REQUIRED_ROLE: "Rooms.Manage",
    AUTH_ADMINISTRATOR_ROLE: "Rooms.Administer",
    AUTH_AUTHORITY: "https://login.example.com/?",
    CONTACT_CENTRE_API_URL: "https://api.example.com",
    CONTACT_CENTRE_DIVISION_IDS: "six,seven",
    EVENT_SINK_PASSWORD: " word ",
    EVENT_SINK_PREVIOUS_USERNAME: "old",
    EVENT_SINK_PREVIOUS_PASSWORD: " older ",
    LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
    LOGS_INGESTION_RULE_ID: "dcr-1",
    LOGS_INGESTION_STREAM: "Custom-X",
  };
  expect(load(environment)).toMatchObject({
    platform: {
      url: "https://platform.example.com:8443",
      timeoutSeconds: 9,
      maxConcurrency: 7,
      logIn: { username: "user", password: exampleEnvironment["PLATFORM_PASSWORD"] },
    },
    rooms: { hostPin: "12345#", template, gatewayName: "production", maxAgeHours: 48 },
    pool: { maxLevel: 60, minLevel: 55, leaseSeconds: 200, readyDelaySeconds: 90 },
    serviceTagBaseUrl: "https://a.example.com/Session",
    garbage: { maxMessages: 40, minAgeSeconds: 900, unmarkedRooms: "keep" },
    bearer: {
      authority: "https://login.example.com",
      tenantId: "aaaaaaaa-1111-4111-8111-111111111111",
      audiences: ["one", "two", "three"],
      clientIds: ["four", "five"],
      requiredRole: "Rooms.Manage",
      administratorRole: "Rooms.Administer",
    },
    contactCentre: { url: "https://api.example.com", divisionIds: ["six", "seven"] },
    eventSink: [
      { username: "sink", password: " word " },
      { username: "old", password: " older " },
    ],
    logsIngestion: { endpoint: "https://logs.example.com", ruleId: "dcr-1", stream: "Custom-X" },
  });
});

test("`loadSettings` returns one pair of credentials and no workspace unless more are given", () => {
  const { eventSink, logsIngestion } = load();
  expect(eventSink).toEqual([{ username: "sink", password: exampleEnvironment["EVENT_SINK_PASSWORD"] }]);
  expect(logsIngestion).toBeUndefined();
});

test("`loadSettings` replaces the password by OAuth, and \\n in the key by a line break", () => {
  const pem = oauthEnvironment.PLATFORM_OAUTH_PRIVATE_KEY.trim();
  const environment = {
    ...oauthEnvironment,
    PLATFORM_OAUTH_PRIVATE_KEY: pem.replaceAll("\n", "\\n"),
    PLATFORM_OAUTH_SCOPE: "rooms",
  };
  const clientId = oauthEnvironment.PLATFORM_OAUTH_CLIENT_ID;
  expect(load(environment).platform.logIn).toEqual({ clientId, privateKey: pem, scope: "rooms" });
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
])("`loadSettings` returns as storage %s", (_, changes, storage) => {
  expect(load(changes).storage).toEqual(storage);
});

/** Returns the error's message, or undefined if the environment loads. */
function errorOf(changes: Environment): string | undefined {
  try {
    load(changes);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "not an error";
  }
}

test.each(Object.keys(exampleEnvironment))("`loadSettings` throws without %s", (name) => {
  const reported = name === "PLATFORM_PASSWORD" ? "PLATFORM_USERNAME" : name;
  for (const missing of [undefined, "  "])
    expect(errorOf({ [name]: missing })).toMatch(
      new RegExp(`^Invalid settings: ${reported}: is required[^\\n]*$`),
    );
});

test("`loadSettings` reports missing settings as required, and says why others are invalid", () => {
  expect(errorOf({ MAX_VMR: undefined, ROOM_HOST_PIN: "12" })).toBe(
    "Invalid settings: ROOM_HOST_PIN: must be 4 to 20 digits, or 3 to 19 digits and a #; MAX_VMR: is required",
  );
});

test("`loadSettings` returns the unknown names of a deployment's settings", () => {
  const names = "MAX_VMR,UNMARKED_ROOM,MY_WEBSITE_NAME,AzureWebJobs.collectGarbage.Disabled";
  expect(load({ GIVEN_SETTING_NAMES: names }).unknownNames).toEqual(["UNMARKED_ROOM", "MY_WEBSITE_NAME"]);
  expect(load({}).unknownNames).toEqual([]);
});

test("`loadSettings` throws an error that names settings and contains no values", () => {
  const start = fc.oneof(
    fc.string(),
    fc.constantFrom("5", "https://a.example.com/", "{}", "[1,", "@Microsoft.KeyVault("),
  );
  // Long enough not to be part of a message by chance.
  const value = start.map((text) => `${text}§7f3a91`);
  const values = Object.fromEntries(settingNames.map((name) => [name, value]));
  fc.assert(
    fc.property(fc.record(values, { requiredKeys: [] }), (changes) => {
      const message = errorOf(changes) ?? "Invalid settings: ";
      expect(message).toMatch(/^Invalid settings: [^\n]*$/);
      const faults = message.replace("Invalid settings: ", "").split("; ").filter(Boolean);
      const names = faults.map((fault) => /^(\w+): \S/.exec(fault)?.[1] ?? fault);
      expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
      expect(message).not.toContain("§7f3a91");
    }),
    { numRuns: 25 },
  );
});
