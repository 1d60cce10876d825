/** Single settings at the edges of their forms: what is accepted, what is refused, and what is made of it. */
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import type { z } from "zod";
import * as value from "../../../src/lib/settings/values.ts";

/** The value that a text gives; undefined when it is refused. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

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

test.each([
  "name",
  "aliases",
  "pin",
  "guest_pin",
  "tag",
  "description",
  "service_type",
  "allow_guests",
  "id",
  "resource_uri",
  "creation_time",
  "scheduled_conferences_count",
])("a room template must not set %s", (field) => {
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
