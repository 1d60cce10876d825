/** The formats of settings, through the schema of each one. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { schemas } from "../../../src/lib/settings/settings.ts";

/** Returns the messages about this value of a setting. */
const faultsOf = (name: string, value: string): string[] =>
  schemas
    .get(name)
    ?.safeParse(value)
    .error?.issues.map(({ message }) => message) ?? [];

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
  "UseDevelopmentStorage=true;AccountName=a",
  `${account};AccountKey=YQ==;EndpointSuffix=core.windows.net;;`,
  "QueueEndpoint=https://a.queue.example.com/;SharedAccessSignature=sv=1&sig=x",
  "SharedAccessSignature=sv=1&sig=x;QueueEndpoint=http://127.0.0.1:10001/a",
  `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;${bothEndpoints("http://127.0.0.1:1/a", "http://localhost:2/a")}`,
  `${account};AccountKey=YQ==;${bothEndpoints("https://a.blob.example.com", "https://a.queue.example.com")}`,
];
const notConnections = [
  "usedevelopmentstorage=true",
  "DoUseDevelopmentStorage=true",
  `${account};AccountKey`,
  `${account};AccountKey=YQ==`,
  `"${account};AccountKey=YQ==;EndpointSuffix=core.windows.net"`,
  "AccountName=a;AccountKey=YQ==;EndpointSuffix=core.windows.net",
  "DefaultEndpointsProtocol=https;AccountKey=YQ==;EndpointSuffix=core.windows.net",
  "BlobEndpoint=https://a.blob.example.com/;SharedAccessSignature=sv=1",
  "SharedAccessSignature=sv=1;AccountName=a",
  "QueueEndpoint=https://a.queue.example.com/",
  "QueueEndpoint=http://a.queue.example.com/;SharedAccessSignature=sv=1",
  "QueueEndpoint=a.queue.example.com;SharedAccessSignature=sv=1",
  "SharedAccessSignature=;QueueEndpoint=https://a.queue.example.com/",
  "AccountName=a;AccountKey=YQ==;DefaultEndpointsProtocol=HTTP",
  "DefaultEndpointsProtocol=http ;AccountName=a;AccountKey=YQ==",
  "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;QueueEndpoint=https://a.queue.example.com",
  "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=https://a.blob.example.com",
  `${account};AccountKey=YQ==;${bothEndpoints("http://a.blob.example.com", "https://a.queue.example.com")}`,
  `${account};AccountKey=YQ==;${bothEndpoints("https://a.blob.example.com", "http://a.queue.example.com")}`,
];
const pemOf = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const publicKey = String(p256.publicKey.export({ type: "spki", format: "pem" }));
const notKeys = ["AAAA", pemOf(p384.privateKey), pemOf(generateKeyPairSync("ed25519").privateKey), publicKey];
const [ca = ""] = rootCertificates;
const brokenCa = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
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
  ["PLATFORM_OAUTH_PRIVATE_KEY", [pemOf(p256.privateKey)], notKeys],
  ["PLATFORM_CA", [ca, `Ours:\n${ca}\n${ca}`], ["AAAA", brokenCa, `${ca}\n${brokenCa}`, publicKey]],
  ["PLATFORM_TIMEOUT_SECONDS", ["1", "20"], ["0", "21"]],
  ["PLATFORM_MAX_CONCURRENCY", ["3", "100"], ["2", "101"]],
  [
    "ROOM_HOST_PIN",
    ["1234", "12345678901234567890", "123#", "1234567890123456789#"],
    ["123", "12#", "12345678901234567890#", "123456789012345678901", "12a4", "1234##"],
  ],
  ["GATEWAY_NAME", ["a", "local-my-name-123456"], ["A", "-a", "a-", "a_b", "a b", "local-my-name-1234567"]],
  [
    "ROOM_TEMPLATE",
    ["{}", '{"host_view":null,"ivr_theme":"/api/admin/configuration/v1/ivr_theme/1/","x":["/a/",5]}'],
    ["{", "[]", "null", "5", '"text"', ...fixedFields.map((field) => `{"${field}":null}`)],
  ],
  ["ROOM_MAXIMUM_AGE_HOURS", ["1", "8760"], ["0", "8761"]],
  ["MAX_VMR", ["0", "10000"], ["-1", "10001", "1.5", "1e3", "0x10", "+1", "99999999999"]],
  ["UNMARKED_ROOMS", ["collect", "keep"], ["delete", "Keep"]],
  ["POOL_LEASE_SECONDS", ["1", "3600"], ["0", "3601"]],
  ["POOL_MINIMUM", ["0", "10000"], ["10001"]],
  ["POOL_READY_DELAY_SECONDS", ["0", "3600"], ["3601"]],
  ["SERVICE_TAG_BASE_URL", [tagBase.padEnd(180, "x")], [http, tagBase.padEnd(181, "x")]],
  ["GC_MAX_MESSAGES", ["1", "10000"], ["0", "10001"]],
  ["GC_MINIMUM_AGE_SECONDS", ["0", "604800"], ["604801"]],
  ["AUTH_TENANT_ID", [], ["common", "Organizations", "CONSUMERS", "a/b", "/a"]],
  ["AUTH_AUDIENCES", ["a", "a, b"], [",", "a,,b", "a,", ",a"]],
  ["AUTH_CLIENT_IDS", ["a,b"], [",a"]],
  ["AUTH_AUTHORITY", ["http://[::1]:8080", "http://localhost:8080"], notUrls],
  ["CONTACT_CENTRE_API_URL", [], [http, "https://api.example.com/api/v2"]],
  ["CONTACT_CENTRE_DIVISION_IDS", ["a,b"], ["a,,b"]],
  ["EVENT_SINK_USERNAME", [], ["a:b"]],
  ["EVENT_SINK_PREVIOUS_USERNAME", [], ["sink:user"]],
])("The format of %s accepts and rejects values at its limits", (name, accepted, rejected) => {
  for (const value of accepted) expect([value, faultsOf(name, value)]).toEqual([value, []]);
  for (const value of rejected)
    expect([value, faultsOf(name, value)]).toEqual([value, [expect.stringMatching(/^must /)]]);
});

test("The format of ROOM_TEMPLATE names the fields that it must not set", () => {
  const faults = faultsOf("ROOM_TEMPLATE", '{"tag":"x","theme":"y","pin":"1"}');
  expect(faults).toEqual(["must not set pin, tag"]);
});

test("The format of ROOM_TEMPLATE names the fields that contain objects, and the form that they must have", () => {
  const template = {
    a: { id: 1 },
    b: "/b/1/",
    c: [{ id: 1 }],
    d: ["/d/1/", { resource_uri: "/d/2/" }],
    e: [[{}]],
  };
  expect(faultsOf("ROOM_TEMPLATE", JSON.stringify(template))).toEqual([
    "must refer to objects by path, such as /api/admin/configuration/v1/ivr_theme/1/, in a, c, d, e",
  ]);
});
