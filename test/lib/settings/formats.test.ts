/** Formats of settings: accepted texts, and their normalised values. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import type { z } from "zod";
import * as format from "../../../src/lib/settings/formats.ts";

/** Returns the parsed value, or undefined if the schema rejects the text. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

test.each([
  ["https://example.com///", "https://example.com"],
  ["https://EXAMPLE.com/Path/", "https://example.com/Path"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["http://[::1]:8080/", "http://[::1]:8080"],
])("absoluteUrl reads %s as %s", (text, expected) => {
  expect(read(format.absoluteUrl, text)).toBe(expected);
});

const credentials = [
  "https://name:word@example.com",
  "https://name@example.com",
  "https://:word@example.com",
];
const notHttps = ["http://platform.example.com", "ftp://127.0.0.1", "ws://localhost"];
const notLoopback = ["http://127.0.0.1.example.com", "http://localhost@example.com"];
const withQuery = ["https://example.com/?key=1", "https://example.com/#top"];
const notAbsolute = ["example.com", "https://", "/path", "x"];
const tagBase = "https://tags.example.com/";
const notWhole = ["-1", "1.5", "abc", "99999999999", "1", "61"];
const fixedFields = [
  ["name", "aliases", "pin", "guest_pin", "tag", "description", "service_type", "allow_guests", "id"],
  ["resource_uri", "creation_time", "scheduled_conferences_count"],
].flat();
const onCurve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const pem = { type: "pkcs8", format: "pem" } as const;
const keyOf = ({ privateKey }: { privateKey: KeyObject }) => privateKey.export(pem).toString().trim();

test.each<[string, z.ZodType, accepted: string[], rejected: string[]]>([
  [
    "absoluteUrl",
    format.absoluteUrl,
    [],
    [...credentials, ...notHttps, ...notLoopback, ...withQuery, ...notAbsolute],
  ],
  ["origin", format.origin, ["https://example.com/"], ["https://example.com/path"]],
  ["wholeNumber", format.wholeNumber(2, 60), ["2", "60"], notWhole],
  [
    "hostPin",
    format.hostPin,
    ["1234", "12345678901234567890", "123#", "1234567890123456789#"],
    ["123", "12#", "12345678901234567890#", "123456789012345678901", "12a4", "1234##"],
  ],
  [
    "accountName",
    format.accountName,
    ["abc", "abcdefghijklmnopqrstuvwx"],
    ["ab", "Account", "a-b-c", "a".repeat(25)],
  ],
  ["serviceTagBase", format.serviceTagBase, [tagBase.padEnd(180, "x")], [tagBase.padEnd(181, "x")]],
  ["list", format.list, ["a", "a, b"], [",", "a,,b", "a,", ",a"]],
  [
    "tenantId",
    format.tenantId,
    ["11111111-1111-4111-8111-111111111111"],
    ["a/b", "/a", "common", "Organizations", "CONSUMERS"],
  ],
  [
    "roomTemplate",
    format.roomTemplate,
    ["{}", '{"host_view":null}'],
    ["{", "[]", "null", "5", '"text"', ...fixedFields.map((field) => `{"${field}":null}`)],
  ],
  [
    "privateKey",
    format.privateKey,
    [keyOf(onCurve("P-256")), keyOf(onCurve("P-256")).replaceAll("\n", "\\n")],
    [
      "AAAA",
      keyOf(onCurve("P-384")),
      keyOf(onCurve("secp256k1")),
      keyOf(generateKeyPairSync("ed25519")),
      onCurve("P-256").publicKey.export({ type: "spki", format: "pem" }).toString(),
    ],
  ],
])(
  "%s accepts and rejects what it should, and says what a value must be",
  (_, schema, accepted, rejected) => {
    expect(accepted.filter((text) => !accepts(schema, text))).toEqual([]);
    for (const text of rejected) {
      const reasons = schema.safeParse(text).error?.issues.map(({ message }) => message);
      expect([text, reasons]).toEqual([text, [expect.stringMatching(/^must /)]]);
    }
  },
);

test("roomTemplate names the fields that must not be set", () => {
  const { error } = format.roomTemplate.safeParse('{"tag":"x","theme":"y","pin":"1"}');
  expect(error?.issues).toMatchObject([{ message: "must not set pin, tag" }]);
});

test.each([
  "UseDevelopmentStorage=true",
  "usedevelopmentstorage=true;",
  "BlobEndpoint=https://a.blob.example.com/;SharedAccessSignature=sv=1&sig=x",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;;",
  "QueueEndpoint=https://a.queue.example.com/;SharedAccessSignature=sv=1&sig=x",
  "SharedAccessSignature=sv=1&sig=x;QueueEndpoint=http://127.0.0.1:10001/a",
  "DefaultEndpointsProtocol=http;AccountName=a;AccountKey=b==;QueueEndpoint=http://127.0.0.1:10001/a",
])("connectionString accepts %s", (text) => {
  expect(format.connectionString.safeParse(text).success).toBe(true);
});

test.each([
  "QueueEndpoint=https://a.queue.example.com/",
  "QueueEndpoint=http://a.queue.example.com/;SharedAccessSignature=sv=1",
  "QueueEndpoint=a.queue.example.com;SharedAccessSignature=sv=1",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey",
  "SharedAccessSignature=;QueueEndpoint=https://a.queue.example.com/",
  "UseDevelopmentStorage=true;AccountName=a",
  "DoUseDevelopmentStorage=true",
  "DefaultEndpointsProtocol=HTTP;AccountName=a;AccountKey=b==",
])("connectionString rejects %s", (text) => {
  expect(format.connectionString.safeParse(text).success).toBe(false);
});
