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
    apiManagementSecret: undefined,
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
    "lets refused callers know the reason if the token issuer is on this machine",
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
  function refusalOf(changes: Environment): string | undefined {
    try {
      load(changes);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : "not an error";
    }
  }

  /** Returns the names with a fault in order. Lines of another format are returned unchanged. */
  function faultyNames(changes: Environment): string[] {
    const [, ...lines] = (refusalOf(changes) ?? "").split("\n");
    const reason = /^- (\w+): (?:must|is required|cannot)\b/;
    return lines.map((line) => reason.exec(line)?.[1] ?? line);
  }

  test.each(Object.keys(exampleEnvironment))("loadSettings throws without %s", (name) => {
    const expected = name === "PLATFORM_PASSWORD" ? "PLATFORM_USERNAME" : name;
    expect(faultyNames({ [name]: undefined })).toEqual([expected]);
    expect(faultyNames({ [name]: "  " })).toEqual([expected]);
  });

  const http = "http://platform.example.com";
  const withCredentials = ["https://name@example.com", "https://:word@example.com"];
  const withQuery = ["https://example.com/?key=1", "https://example.com/#top"];
  const notHttps = [http, "http://127.0.0.1.example.com", "http://localhost@example.com", "ws://localhost"];
  const notUrls = [...withCredentials, ...withQuery, ...notHttps, "example.com", "https://", "x"];
  const tagBase = "https://tags.example.com/";
  const account = "DefaultEndpointsProtocol=https;AccountName=a";
  const bothEndpoints = (blob: string, queue: string) => `BlobEndpoint=${blob};QueueEndpoint=${queue}`;
  const connections = [
    "UseDevelopmentStorage=true",
    "usedevelopmentstorage=true;",
    `${account};AccountKey=b==;;`,
    "BlobEndpoint=https://a.blob.example.com/;SharedAccessSignature=sv=1&sig=x",
    "QueueEndpoint=https://a.queue.example.com/;SharedAccessSignature=sv=1&sig=x",
    "SharedAccessSignature=sv=1&sig=x;QueueEndpoint=http://127.0.0.1:10001/a",
    `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;${bothEndpoints("http://127.0.0.1:1/a", "http://localhost:2/a")}`,
    `${account};AccountKey=b==;${bothEndpoints("https://a.blob.example.com", "https://a.queue.example.com")}`,
  ];
  const notConnections = [
    "UseDevelopmentStorage=true;AccountName=a",
    "DoUseDevelopmentStorage=true",
    `${account};AccountKey`,
    "QueueEndpoint=https://a.queue.example.com/",
    "QueueEndpoint=http://a.queue.example.com/;SharedAccessSignature=sv=1",
    "QueueEndpoint=a.queue.example.com;SharedAccessSignature=sv=1",
    "SharedAccessSignature=;QueueEndpoint=https://a.queue.example.com/",
    "AccountName=a;AccountKey=b==;DefaultEndpointsProtocol=HTTP",
    "DefaultEndpointsProtocol=http ;AccountName=a;AccountKey=b==",
    "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;QueueEndpoint=https://a.queue.example.com",
    "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;BlobEndpoint=https://a.blob.example.com",
    `${account};AccountKey=b==;${bothEndpoints("http://a.blob.example.com", "https://a.queue.example.com")}`,
    `${account};AccountKey=b==;${bothEndpoints("https://a.blob.example.com", "http://a.queue.example.com")}`,
  ];
  const ofGateway = ["name", "aliases", "pin", "guest_pin", "tag", "description", "service_type"];
  const ofPlatform = ["id", "resource_uri", "creation_time", "scheduled_conferences_count"];
  const fixedFields = [...ofGateway, "allow_guests", ...ofPlatform];

  // One row per setting: what its format accepts at its limits, and what it rejects.
  test.each<[name: string, accepted: string[], rejected: string[]]>([
    ["AzureWebJobsStorage", connections, notConnections],
    ["AzureWebJobsStorage__accountName", ["abc", "a".repeat(24)], ["ab", "Account", "a-b-c", "a".repeat(25)]],
    ["AzureWebJobsStorage__queueServiceUri", [], [http]],
    ["AzureWebJobsStorage__blobServiceUri", [], [http]],
    ["AzureWebJobsStorage__credential", ["managedidentity"], ["key", "ManagedIdentity"]],
    ["PLATFORM_URL", ["http://127.0.0.1:8080"], [http, "https://platform.example.com/admin"]],
    ["PLATFORM_USERNAME", [], ["api:user"]],
    ["PLATFORM_TIMEOUT_SECONDS", ["1", "60"], ["0", "61"]],
    ["PLATFORM_MAX_CONCURRENCY", ["3", "100"], ["2", "101"]],
    [
      "ROOM_HOST_PIN",
      ["1234", "12345678901234567890", "123#", "1234567890123456789#"],
      ["123", "12#", "12345678901234567890#", "123456789012345678901", "12a4", "1234##"],
    ],
    ["GATEWAY_NAME", ["a", "local-my-name-123456"], ["A", "-a", "a-", "a_b", "a b", "local-my-name-1234567"]],
    [
      "ROOM_TEMPLATE",
      ["{}", '{"host_view":null}'],
      ["{", "[]", "null", "5", '"text"', ...fixedFields.map((field) => `{"${field}":null}`)],
    ],
    ["ROOM_MAXIMUM_AGE_HOURS", ["1", "8760"], ["0", "8761"]],
    ["MAX_VMR", ["0", "10000"], ["-1", "10001", "1.5", "abc", "99999999999"]],
    ["API_MANAGEMENT_SECRET", ["sixteen-letters!"], ["too-short", "", "  "]],
    ["UNMARKED_ROOMS", ["collect", "keep"], ["delete", "Keep"]],
    ["POOL_LEASE_SECONDS", ["60", "3600"], ["0", "59", "3601"]],
    ["POOL_MINIMUM", ["0", "50"], ["51", "10001"]],
    ["POOL_READY_DELAY_SECONDS", ["0", "3600"], ["3601"]],
    ["SERVICE_TAG_BASE_URL", [tagBase.padEnd(180, "x")], [http, tagBase.padEnd(181, "x")]],
    ["GC_MAX_MESSAGES", ["1", "10000"], ["0", "10001"]],
    ["GC_MINIMUM_AGE_SECONDS", ["600", "604800"], ["599", "604801"]],
    ["AUTH_TENANT_ID", [], ["common", "Organizations", "CONSUMERS", "a/b", "/a"]],
    ["AUTH_AUDIENCES", ["a", "a, b"], [",", "a,,b", "a,", ",a"]],
    ["AUTH_CLIENT_IDS", ["a,b"], [",a"]],
    ["AUTH_AUTHORITY", ["http://[::1]:8080", "http://localhost:8080"], notUrls],
    ["CONTACT_CENTRE_API_URL", [], [http, "https://api.example.com/api/v2"]],
    ["CONTACT_CENTRE_DIVISION_IDS", ["a,b"], ["a,,b"]],
    ["EVENT_SINK_USERNAME", [], ["a:b"]],
    ["EVENT_SINK_PREVIOUS_USERNAME", [], ["sink:user"]],
  ])("loadSettings checks the value of %s", (name, accepted, rejected) => {
    for (const value of accepted) expect([value, refusalOf({ [name]: value })]).toEqual([value, undefined]);
    for (const value of rejected)
      expect([value, ...new Set(faultyNames({ [name]: value }))]).toEqual([value, name]);
  });

  const onCurve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
  test.each([
    ["text", "AAAA"],
    ["a key of another curve", pemOf(onCurve("P-384").privateKey)],
    ["a key of another algorithm", pemOf(generateKeyPairSync("ed25519").privateKey)],
    ["a public key", onCurve("P-256").publicKey.export({ type: "spki", format: "pem" }).toString()],
  ])("loadSettings rejects %s as PLATFORM_OAUTH_PRIVATE_KEY", (_, key) => {
    const refusal = refusalOf({ PLATFORM_OAUTH_PRIVATE_KEY: key });
    expect(refusal).toContain("- PLATFORM_OAUTH_PRIVATE_KEY: must be a P-256 private key in PEM format");
  });

  test("loadSettings names the fields that the room template must not set", () => {
    const refusal = refusalOf({ ROOM_TEMPLATE: '{"tag":"x","theme":"y","pin":"1"}' });
    expect(refusal).toContain("- ROOM_TEMPLATE: must not set pin, tag");
  });

  test("loadSettings reports missing settings as required, and says why others are invalid", () => {
    expect(refusalOf({ MAX_VMR: undefined, ROOM_HOST_PIN: "12" })).toBe(
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
    const refusal = refusalOf({ EVENT_SINK_PASSWORD: reference });
    expect(refusal).toContain("- EVENT_SINK_PASSWORD: the Key Vault reference was not resolved");
    expect(refusal).not.toContain("vault.example.com");
  });

  test("loadSettings throws an error that names settings and contains no values", () => {
    const start = fc.oneof(fc.string(), fc.constantFrom("5", "https://a.example.com/", "{}", "[1,"));
    // Long enough not to be part of a message by chance.
    const value = start.map((text) => `${text}§7f3a91`);
    const values = Object.fromEntries(settingNames.map((name) => [name, value]));
    fc.assert(
      fc.property(fc.record(values, { requiredKeys: [] }), (changes) => {
        const [title, ...faults] = (refusalOf(changes) ?? "Invalid settings:").split("\n");
        expect(title).toBe("Invalid settings:");
        const names = faults.map((line) => /^- (\w+): \S/.exec(line)?.[1] ?? line);
        expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
        expect(faults.join("\n")).not.toContain("§7f3a91");
      }),
      { numRuns: 25 },
    );
  });
});
