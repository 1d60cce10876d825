/** Invalid settings: all faults at once, each by its name and without values. */
import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { settingNames } from "../../../src/lib/settings/schemas.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

type Environment = Record<string, string | undefined>;

/** Returns the error's message, or undefined if the environment loads. */
function refusalOf(changes: Environment): string | undefined {
  try {
    loadSettings({ ...exampleEnvironment, ...changes });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "not an error";
  }
}

/** Returns the names with a fault in order. Lines of another format are returned unchanged. */
function faultyNames(changes: Environment): string[] {
  const [, ...lines] = (refusalOf(changes) ?? "").split("\n");
  return lines.map((line) => /^- (\w+): \S/.exec(line)?.[1] ?? line);
}

test.each(Object.keys(exampleEnvironment))("loadSettings throws without %s", (name) => {
  const expected = name === "PLATFORM_PASSWORD" ? "PLATFORM_USERNAME" : name;
  expect(faultyNames({ [name]: undefined })).toEqual([expected]);
  expect(faultyNames({ [name]: "  " })).toEqual([expected]);
});

test.each(["", "  "])("loadSettings rejects the empty API_MANAGEMENT_SECRET %j", (value) => {
  expect(faultyNames({ API_MANAGEMENT_SECRET: value })).toEqual(["API_MANAGEMENT_SECRET"]);
});

const unsafe = ["http://platform.example.com", "ftp://example.com", "example.com", "https://", "/path", "x"];
const unusable = ["https://name:word@example.com", "https://example.com/?key=1", "https://example.com/#top"];
const notAddresses = [...unsafe, ...unusable, "http://127.0.0.1.example.com", "http://localhost@example.com"];
const notWhole = ["-1", "1.5", "1e3", "abc", "0x10", "99999999999"];
const notInTemplate = [
  ["name", "aliases", "pin", "guest_pin", "tag", "description", "service_type", "allow_guests", "id"],
  ["resource_uri", "creation_time", "scheduled_conferences_count"],
].flat();
const wrongValues: Record<string, string[]> = {
  AzureWebJobsStorage: ["x", "AccountName=a", "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b"],
  AzureWebJobsStorage__accountName: ["ab", "Account", "a-b-c", "abcdefghijklmnopqrstuvwxy"],
  AzureWebJobsStorage__queueServiceUri: notAddresses,
  AzureWebJobsStorage__blobServiceUri: notAddresses,
  AzureWebJobsStorage__credential: ["key", "ManagedIdentity"],
  PLATFORM_URL: [...notAddresses, "https://platform.example.com/admin"],
  PLATFORM_USERNAME: ["api:user"],
  EVENT_SINK_PREVIOUS_USERNAME: ["sink:user"],
  PLATFORM_TIMEOUT_SECONDS: [...notWhole, "0", "61"],
  PLATFORM_MAX_CONCURRENCY: [...notWhole, "0", "101"],
  ROOM_HOST_PIN: [
    "123",
    "12#",
    "12345678901234567890#",
    "123456789012345678901",
    "12a4",
    "1#34",
    "1234##",
    "###",
    "12 34",
  ],
  ROOM_TEMPLATE: ["{", "[]", "null", "5", '"text"', ...notInTemplate.map((field) => `{"${field}":null}`)],
  MAX_VMR: [...notWhole, "-1", "10001"],
  API_MANAGEMENT_SECRET: ["too-short"],
  UNMARKED_ROOMS: ["delete", "Keep", "true"],
  ROOM_MAXIMUM_AGE_HOURS: [...notWhole, "0", "8761"],
  POOL_LEASE_SECONDS: [...notWhole, "0", "59", "3601"],
  POOL_MINIMUM: [...notWhole, "51", "10001"],
  POOL_READY_DELAY_SECONDS: [...notWhole, "3601"],
  SERVICE_TAG_BASE_URL: notAddresses,
  GC_MAX_MESSAGES: [...notWhole, "0", "1001"],
  GC_MINIMUM_AGE_SECONDS: [...notWhole, "599", "604801"],
  AUTH_TENANT_ID: [
    "a/b",
    "a b",
    "../x",
    "a?b",
    "..",
    "common",
    "Organizations",
    "CONSUMERS",
    "tenant.example.com",
  ],
  AUTH_AUDIENCES: [",", "a,,b", "a,"],
  AUTH_CLIENT_IDS: [",", "a,,b", ",a"],
  AUTH_AUTHORITY: notAddresses,
  CONTACT_CENTRE_API_URL: [...notAddresses, "https://api.example.com", "https://mypurecloud.de"],
  CONTACT_CENTRE_DIVISION_IDS: [",", "a,,b"],
  EVENT_SINK_USERNAME: ["a:b"],
};
for (const [name, values] of Object.entries(wrongValues)) {
  test.each(values)(`loadSettings rejects ${name} = %s`, (value) => {
    expect(new Set(faultyNames({ [name]: value }))).toEqual(new Set([name]));
  });
}

test("loadSettings reports missing settings as required and names what is wrong with invalid ones", () => {
  expect(refusalOf({ MAX_VMR: undefined, ROOM_HOST_PIN: "12" })).toBe(
    "Invalid settings:\n- ROOM_HOST_PIN: must be 4 to 20 digits, or 3 to 19 digits and a #\n- MAX_VMR: is required",
  );
});

const onCurve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const pem = {
  privateKey: { type: "pkcs8", format: "pem" },
  publicKey: { type: "spki", format: "pem" },
} as const;
test.each([
  ["text that is not in PEM format", "AAAA"],
  ["a key on the curve P-384", onCurve("P-384").privateKey.export(pem.privateKey)],
  ["a key on the curve secp256k1", onCurve("secp256k1").privateKey.export(pem.privateKey)],
  ["a key of another kind", generateKeyPairSync("ed25519").privateKey.export(pem.privateKey)],
  ["a public key", onCurve("P-256").publicKey.export(pem.publicKey)],
])("loadSettings rejects %s as private key", (_, key) => {
  const oauth = { PLATFORM_USERNAME: undefined, PLATFORM_PASSWORD: undefined, PLATFORM_OAUTH_CLIENT_ID: "c" };
  const name = "PLATFORM_OAUTH_PRIVATE_KEY";
  expect(faultyNames({ ...oauth, [name]: key.toString().trim() })).toEqual([name]);
});

test("loadSettings reports all faults at once", () => {
  const nothing = Object.fromEntries(Object.keys(exampleEnvironment).map((name) => [name, undefined]));
  const wrong = { POOL_LEASE_SECONDS: "x", GC_MAX_MESSAGES: "0", ROOM_TEMPLATE: "{" };
  expect(faultyNames({ ...nothing, ...wrong }).toSorted()).toEqual(
    [
      ...Object.keys(exampleEnvironment).filter((name) => name !== "PLATFORM_PASSWORD"),
      ...Object.keys(wrong),
    ].toSorted(),
  );
});

test("loadSettings reports an unresolved Key Vault reference without its text", () => {
  const reference = "@Microsoft.KeyVault(SecretUri=https://vault.example.com/secrets/pin)";
  const load = () => loadSettings({ ...exampleEnvironment, EVENT_SINK_PASSWORD: reference });

  expect(load).toThrow("- EVENT_SINK_PASSWORD: the Key Vault reference was not resolved");
  expect(load).not.toThrow("vault.example.com");
});

test("loadSettings returns settings or throws an error that names settings and contains no values", () => {
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.integer().map(String),
    fc.webUrl(),
    fc.json(),
    fc.constant(undefined),
  );
  // Long enough not to be part of a message by chance.
  const recognizable = value.map((text) => (text === undefined ? undefined : `${text}§7f3a91`));
  const environment = fc.record(
    Object.fromEntries(settingNames.map((name) => [name, fc.oneof(value, recognizable)])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(environment, (changes) => {
      const refusal = refusalOf(changes);
      const [title = "Invalid settings:", ...faults] = refusal?.split("\n") ?? [];
      expect(title).toBe("Invalid settings:");
      const names = faults.map((line) => /^- (\w+): \S/.exec(line)?.[1] ?? line);
      expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
      expect(refusal ?? "").not.toContain("§7f3a91");
    }),
    { numRuns: 25 },
  );
});
