/** Valid settings: what the app reads from the environment. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

const load = (changes: Readonly<Record<string, string | undefined>> = {}) =>
  loadSettings({ ...exampleEnvironment, ...changes });

test("the required settings load with the documented defaults", () => {
  expect(load()).toEqual({
    storage: { connectionString: "UseDevelopmentStorage=true" },
    platform: {
      url: "https://platform.example.com",
      timeoutSeconds: 10,
      maxConcurrency: 5,
      logIn: { username: "api-user", password: "platform-password-9f2c" },
    },
    rooms: { hostPin: "482913", template: {}, maxAgeHours: undefined },
    pool: { maxRooms: 50, minRooms: undefined, leaseSeconds: 300, readyDelaySeconds: 0 },
    serviceTagBaseUrl: undefined,
    garbage: { maxMessages: 20, minAgeSeconds: 600, unmarkedRooms: "collect" },
    bearer: {
      authority: "https://login.microsoftonline.com",
      tenantId: "11111111-1111-4111-8111-111111111111",
      audiences: ["api://22222222-2222-4222-8222-222222222222"],
      clientIds: ["22222222-2222-4222-8222-222222222222"],
      requiredRole: undefined,
    },
    apiManagementSecret: undefined,
    contactCentre: {
      url: "https://api.mypurecloud.de",
      divisionIds: ["55555555-5555-4555-8555-555555555555"],
    },
    eventSink: [{ username: "sink", password: "sink-password-7d1e" }],
    logsIngestion: undefined,
  });
});

test("an empty or blank setting counts as missing", () => {
  expect(load({ POOL_MINIMUM: "", AUTH_REQUIRED_ROLE: "  ", GC_MAX_MESSAGES: "" })).toEqual(load());
});

test("surrounding spaces are removed", () => {
  expect(load({ MAX_VMR: " 7 ", PLATFORM_URL: " https://platform.example.com\n" })).toMatchObject({
    pool: { maxRooms: 7 },
    platform: { url: "https://platform.example.com" },
  });
});

test("lists are comma-separated, with or without spaces", () => {
  expect(load({ AUTH_AUDIENCES: "one, two,three" }).bearer.audiences).toEqual(["one", "two", "three"]);
});

test("addresses lose their trailing slash and keep their path", () => {
  expect(
    load({
      PLATFORM_URL: "https://platform.example.com/",
      SERVICE_TAG_BASE_URL: "https://tags.example.com/session/",
    }),
  ).toMatchObject({
    platform: { url: "https://platform.example.com" },
    serviceTagBaseUrl: "https://tags.example.com/session",
  });
});

test("the room template is read as a JSON object", () => {
  const template = { host_view: "two_mains_twentyone_pips", ivr_theme: null };
  expect(load({ ROOM_TEMPLATE: JSON.stringify(template) }).rooms.template).toEqual(template);
});

test("a host PIN with a final # is accepted", () => {
  expect(load({ ROOM_HOST_PIN: "12345#" }).rooms.hostPin).toBe("12345#");
});

test("a previous pair of event-sink credentials follows the current one", () => {
  const previous = { EVENT_SINK_PREVIOUS_USERNAME: "old", EVENT_SINK_PREVIOUS_PASSWORD: "older" };
  expect(load(previous).eventSink).toEqual([
    { username: "sink", password: "sink-password-7d1e" },
    { username: "old", password: "older" },
  ]);
});

test("OAuth settings replace the password, and \\n in the key becomes a line break", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString().trim();
  const { platform } = load({
    PLATFORM_USERNAME: undefined,
    PLATFORM_PASSWORD: undefined,
    PLATFORM_OAUTH_CLIENT_ID: "client",
    PLATFORM_OAUTH_PRIVATE_KEY: pem.replaceAll("\n", "\\n"),
    PLATFORM_OAUTH_SCOPE: "rooms",
  });
  expect(platform.logIn).toEqual({ clientId: "client", privateKey: pem, scope: "rooms" });
});

test("the three settings of the log workspace are read together", () => {
  const given = {
    LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
    LOGS_INGESTION_RULE_ID: "dcr-1",
    LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  };
  expect(load(given).logsIngestion).toEqual({
    endpoint: "https://logs.example.com",
    ruleId: "dcr-1",
    stream: "Custom-VmrGatewayMetrics_CL",
  });
});

describe("storage by identity", () => {
  const withoutKey = { AzureWebJobsStorage: undefined };

  test("an account name is turned into the queue address", () => {
    expect(load({ ...withoutKey, AzureWebJobsStorage__accountName: "exampleaccount" }).storage).toEqual({
      queueServiceUrl: "https://exampleaccount.queue.core.windows.net",
      blobServiceUrl: "https://exampleaccount.blob.core.windows.net",
      usesManagedIdentity: false,
      identityClientId: undefined,
    });
  });

  test("a queue address is used instead of the account name if both are given", () => {
    const both = {
      AzureWebJobsStorage__accountName: "exampleaccount",
      AzureWebJobsStorage__queueServiceUri: "https://queues.example.com",
    };
    expect(load({ ...withoutKey, ...both }).storage).toMatchObject({
      queueServiceUrl: "https://queues.example.com",
    });
  });

  test("a queue address is used unchanged, with a user-assigned identity", () => {
    const identity = {
      AzureWebJobsStorage__queueServiceUri: "https://queues.example.com/",
      AzureWebJobsStorage__blobServiceUri: "https://blobs.example.com",
      AzureWebJobsStorage__credential: "managedidentity",
      AzureWebJobsStorage__clientId: "77777777-7777-4777-8777-777777777777",
    };
    expect(load({ ...withoutKey, ...identity }).storage).toEqual({
      queueServiceUrl: "https://queues.example.com",
      blobServiceUrl: "https://blobs.example.com",
      usesManagedIdentity: true,
      identityClientId: "77777777-7777-4777-8777-777777777777",
    });
  });
});

describe("on loopback", () => {
  const local = { PLATFORM_URL: "http://127.0.0.1:8080" };

  test.each(["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])(
    "%s is accepted",
    (url) => {
      expect(load({ PLATFORM_URL: url }).platform.url).toBe(url);
    },
  );

  test("short lease and age are accepted", () => {
    expect(load({ ...local, POOL_LEASE_SECONDS: "2", GC_MINIMUM_AGE_SECONDS: "0" })).toMatchObject({
      pool: { leaseSeconds: 2 },
      garbage: { minAgeSeconds: 0 },
    });
  });

  test("contact centre and authority on loopback are accepted", () => {
    const url = "http://127.0.0.1:9000";
    expect(load({ CONTACT_CENTRE_API_URL: url, AUTH_AUTHORITY: url })).toMatchObject({
      contactCentre: { url },
      bearer: { authority: url },
    });
  });
});

test("every optional setting replaces its default", () => {
  const given = {
    PLATFORM_TIMEOUT_SECONDS: "9",
    PLATFORM_MAX_CONCURRENCY: "7",
    ROOM_MAXIMUM_AGE_HOURS: "48",
    POOL_LEASE_SECONDS: "200",
    POOL_MINIMUM: "20",
    POOL_READY_DELAY_SECONDS: "90",
    GC_MAX_MESSAGES: "40",
    GC_MINIMUM_AGE_SECONDS: "900",
    AUTH_CLIENT_IDS: "one,two",
    AUTH_REQUIRED_ROLE: "Rooms.Manage",
    AUTH_AUTHORITY: "https://login.example.com",
    CONTACT_CENTRE_DIVISION_IDS: "three,four",
  };
  expect(load(given)).toMatchObject({
    platform: { timeoutSeconds: 9, maxConcurrency: 7 },
    rooms: { maxAgeHours: 48 },
    pool: { maxRooms: 50, minRooms: 20, leaseSeconds: 200, readyDelaySeconds: 90 },
    garbage: { maxMessages: 40, minAgeSeconds: 900 },
    bearer: {
      authority: "https://login.example.com",
      clientIds: ["one", "two"],
      requiredRole: "Rooms.Manage",
    },
    contactCentre: { divisionIds: ["three", "four"] },
  });
});

test("passwords keep surrounding spaces, other settings do not", () => {
  const { eventSink, platform } = load({ EVENT_SINK_PASSWORD: " word ", PLATFORM_USERNAME: " user " });
  expect(eventSink).toEqual([{ username: "sink", password: " word " }]);
  expect(platform.logIn).toMatchObject({ username: "user" });
});

test("a connection string takes precedence over an account name", () => {
  expect(load({ AzureWebJobsStorage__accountName: "exampleaccount" }).storage).toEqual({
    connectionString: "UseDevelopmentStorage=true",
  });
});

test.each([
  ["MAX_VMR", "0"],
  ["PLATFORM_TIMEOUT_SECONDS", "1"],
  ["PLATFORM_MAX_CONCURRENCY", "1"],
  ["ROOM_MAXIMUM_AGE_HOURS", "1"],
  ["ROOM_MAXIMUM_AGE_HOURS", "8760"],
  ["POOL_LEASE_SECONDS", "3600"],
  ["POOL_READY_DELAY_SECONDS", "0"],
  ["GC_MAX_MESSAGES", "1"],
  ["GC_MINIMUM_AGE_SECONDS", "604800"],
  ["AzureWebJobsStorage__accountName", "abc"],
  ["AzureWebJobsStorage__accountName", "abcdefghijklmnopqrstuvwx"],
  ["MAX_VMR", "10000"],
  ["POOL_MINIMUM", "0"],
  ["POOL_MINIMUM", "50"],
  ["PLATFORM_TIMEOUT_SECONDS", "60"],
  ["PLATFORM_MAX_CONCURRENCY", "100"],
  ["POOL_LEASE_SECONDS", "60"],
  ["POOL_READY_DELAY_SECONDS", "3600"],
  ["GC_MAX_MESSAGES", "1000"],
  ["GC_MINIMUM_AGE_SECONDS", "600"],
])("%s accepts its limit %s", (name, value) => {
  expect(() => load({ [name]: value })).not.toThrow();
});

test("POOL_MINIMUM accepts 10,000 if MAX_VMR is 10,000", () => {
  expect(load({ MAX_VMR: "10000", POOL_MINIMUM: "10000" }).pool).toMatchObject({ minRooms: 10_000 });
});
