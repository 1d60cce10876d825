/** Single settings at the edges of their forms: what is accepted, what is refused, and what is made of it. */
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import type { z } from "zod";
import * as value from "../../../src/lib/settings/values.ts";

/** The value that a text gives; undefined when it is refused. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

// https://developer.genesys.cloud/platform/api/
const regions = (
  "mypurecloud.com mypurecloud.ie mypurecloud.com.au mypurecloud.jp mypurecloud.de usw2.pure.cloud " +
  "cac1.pure.cloud apne2.pure.cloud euw2.pure.cloud aps1.pure.cloud use2.us-gov-pure.cloud sae1.pure.cloud " +
  "mec1.pure.cloud apne3.pure.cloud euc2.pure.cloud mxc1.pure.cloud apse1.pure.cloud edee1.eusc-pure.cloud"
).split(" ");

test.each(regions)("the contact centre's region %s is accepted", (region) => {
  expect(read(value.contactCentreAddress, `https://api.${region}/`)).toBe(`https://api.${region}`);
});

test.each([
  "https://login.mypurecloud.de",
  "https://api.mypurecloud.de.example.com",
  "https://example.com.api.mypurecloud.de",
  "https://xapi.mypurecloud.de",
  "https://api.mypurecloud.de:8443",
])("no agent's token goes to %s", (url) => {
  expect(accepts(value.contactCentreAddress, url)).toBe(false);
});

test.each([
  ["https://example.com///", "https://example.com"],
  ["https://EXAMPLE.com/Path/", "https://example.com/Path"],
])("the address %s is read as %s", (text, url) => {
  expect(read(value.address, text)).toBe(url);
});

test.each(["https://name@example.com", "https://:word@example.com"])(
  "an address with half of a log-in (%s) is refused",
  (text) => {
    expect(accepts(value.address, text)).toBe(false);
    expect(value.isSafeAddress(text)).toBe(false);
  },
);

test.each(["ftp://127.0.0.1", "ws://localhost", "http://127.0.0.1.example.com"])(
  "an address that is neither https nor http on loopback (%s) is refused",
  (text) => {
    expect(accepts(value.address, text)).toBe(false);
  },
);

test("what service tags begin with has at most 180 characters", () => {
  const base = "https://tags.example.com/";
  expect(accepts(value.serviceTagBase, base.padEnd(180, "x"))).toBe(true);
  expect(accepts(value.serviceTagBase, base.padEnd(181, "x"))).toBe(false);
});

test.each(["1234", "12345678901234567890", "123#", "1234567890123456789#"])(
  "the host PIN %s is accepted",
  (pin) => {
    expect(read(value.hostPin, pin)).toBe(pin);
  },
);

test.each(["123", "12#", "123456789012345678901", "12345678901234567890#", "1234##"])(
  "the host PIN %s is refused",
  (pin) => {
    expect(accepts(value.hostPin, pin)).toBe(false);
  },
);

test.each(["common", "Organizations", "CONSUMERS"])("%s is the id of no tenant", (text) => {
  expect(accepts(value.tenantId, text)).toBe(false);
});

test.each([
  ["P-256", true],
  ["P-384", false],
  ["secp256k1", false],
])("a private key on the curve %s: %s", (namedCurve, isAccepted) => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  expect(accepts(value.privateKey, pem)).toBe(isAccepted);
});

test("a private key of another kind, or a public one, is refused", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  expect(accepts(value.privateKey, privateKey.export({ type: "pkcs8", format: "pem" }).toString())).toBe(
    false,
  );
  expect(accepts(value.privateKey, publicKey.export({ type: "spki", format: "pem" }).toString())).toBe(false);
});

test.each(
  (
    "name aliases pin guest_pin tag description service_type allow_guests " +
    "id resource_uri creation_time scheduled_conferences_count"
  ).split(" "),
)("a room template must not set %s", (field) => {
  expect(accepts(value.roomTemplate, JSON.stringify({ [field]: null, participant_limit: 4 }))).toBe(false);
});

test.each([
  "UseDevelopmentStorage=true",
  "usedevelopmentstorage=true;",
  " UseDevelopmentStorage=true ",
  "BlobEndpoint=https://a.blob.example.com/;SharedAccessSignature=sv=1&sig=x",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;;",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;EndpointSuffix=core.windows.net",
  "DefaultEndpointsProtocol=https; AccountName = a; AccountKey=b==",
  "QueueEndpoint=https://a.queue.example.com/;SharedAccessSignature=sv=1&sig=x",
  "SharedAccessSignature=sv=1&sig=x;QueueEndpoint=http://127.0.0.1:10001/a",
  "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;QueueEndpoint=http://127.0.0.1:10001/a",
])("the connection string %s is accepted", (text) => {
  expect(accepts(value.connectionString, text)).toBe(true);
});

test.each([
  "QueueEndpoint=https://a.queue.example.com/",
  "QueueEndpoint=http://a.queue.example.com/;SharedAccessSignature=sv=1",
  "QueueEndpoint=a.queue.example.com;SharedAccessSignature=sv=1",
  "DefaultEndpointsProtocol=https;AccountName=a",
  "DefaultEndpointsProtocol=https;AccountKey=b==",
  "AccountName=a;AccountKey=b==",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey",
  "DefaultEndpointsProtocol=https;AccountName= ;AccountKey=b==",
  "SharedAccessSignature=;QueueEndpoint=https://a.queue.example.com/",
  "UseDevelopmentStorage=true;AccountName=a",
  "DoUseDevelopmentStorage=true",
  "DefaultEndpointsProtocol=HTTP;AccountName=a;AccountKey=b==",
])("the connection string %s is refused", (text) => {
  expect(accepts(value.connectionString, text)).toBe(false);
});
