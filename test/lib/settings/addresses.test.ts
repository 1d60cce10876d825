/** Settings that are addresses: which texts are accepted, and how they are normalized. */
import { expect, test } from "vitest";
import type { z } from "zod";
import * as url from "../../../src/lib/settings/addresses.ts";

/** Returns the parsed value, or undefined if the schema rejects the text. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

// https://developer.genesys.cloud/platform/api/
const regions = [
  "mypurecloud.com",
  "mypurecloud.ie",
  "mypurecloud.com.au",
  "mypurecloud.jp",
  "mypurecloud.de",
  "usw2.pure.cloud",
  "cac1.pure.cloud",
  "apne2.pure.cloud",
  "euw2.pure.cloud",
  "aps1.pure.cloud",
  "use2.us-gov-pure.cloud",
  "sae1.pure.cloud",
  "mec1.pure.cloud",
  "apne3.pure.cloud",
  "euc2.pure.cloud",
  "mxc1.pure.cloud",
  "apse1.pure.cloud",
  "edee1.eusc-pure.cloud",
];

test.each(regions)("contactCentreAddress accepts the region %s", (region) => {
  expect(read(url.contactCentreAddress, `https://api.${region}/`)).toBe(`https://api.${region}`);
});

test.each([
  "https://login.mypurecloud.de",
  "https://api.mypurecloud.de.example.com",
  "https://example.com.api.mypurecloud.de",
  "https://xapi.mypurecloud.de",
  "https://api.mypurecloud.de:8443",
])("contactCentreAddress rejects %s", (text) => {
  expect(accepts(url.contactCentreAddress, text)).toBe(false);
});

test.each([
  ["https://example.com///", "https://example.com"],
  ["https://EXAMPLE.com/Path/", "https://example.com/Path"],
])("address reads %s as %s", (text, expected) => {
  expect(read(url.address, text)).toBe(expected);
});

test.each(["https://name@example.com", "https://:word@example.com"])(
  "address rejects half a log-in (%s)",
  (text) => {
    expect(accepts(url.address, text)).toBe(false);
    expect(url.isSafeAddress(text)).toBe(false);
  },
);

test.each(["ftp://127.0.0.1", "ws://localhost", "http://127.0.0.1.example.com"])(
  "address rejects %s, which is neither https nor http on loopback",
  (text) => {
    expect(accepts(url.address, text)).toBe(false);
  },
);

test("serviceTagBase accepts at most 180 characters", () => {
  const base = "https://tags.example.com/";
  expect(accepts(url.serviceTagBase, base.padEnd(180, "x"))).toBe(true);
  expect(accepts(url.serviceTagBase, base.padEnd(181, "x"))).toBe(false);
});
