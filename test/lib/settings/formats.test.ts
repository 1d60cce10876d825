/** Formats of settings: which texts are accepted, and how they are normalized. */

import { expect, test } from "vitest";
import { type z } from "zod";
import * as url from "../../../src/lib/settings/formats.ts";
import { connectionString } from "../../../src/lib/settings/formats.ts";

/** Returns the parsed value, or undefined if the schema rejects the text. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

test.each([
  ["https://example.com///", "https://example.com"],
  ["https://EXAMPLE.com/Path/", "https://example.com/Path"],
])("absoluteUrl reads %s as %s", (text, expected) => {
  expect(read(url.absoluteUrl, text)).toBe(expected);
});

test.each(["https://name@example.com", "https://:word@example.com"])(
  "absoluteUrl rejects incomplete credentials (%s)",
  (text) => {
    expect(accepts(url.absoluteUrl, text)).toBe(false);
  },
);

test.each(["ftp://127.0.0.1", "ws://localhost", "http://127.0.0.1.example.com"])(
  "absoluteUrl rejects %s, which is neither https nor http on loopback",
  (text) => {
    expect(accepts(url.absoluteUrl, text)).toBe(false);
  },
);

test("serviceTagBase accepts at most 180 characters", () => {
  const base = "https://tags.example.com/";
  expect(accepts(url.serviceTagBase, base.padEnd(180, "x"))).toBe(true);
  expect(accepts(url.serviceTagBase, base.padEnd(181, "x"))).toBe(false);
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
])("connectionString accepts %s", (text) => {
  expect(connectionString.safeParse(text).success).toBe(true);
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
])("connectionString rejects %s", (text) => {
  expect(connectionString.safeParse(text).success).toBe(false);
});
