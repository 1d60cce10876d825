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

test.each(regions)("the contact centre's region %s is accepted", (region) => {
  expect(read(url.contactCentreAddress, `https://api.${region}/`)).toBe(`https://api.${region}`);
});

test.each([
  "https://login.mypurecloud.de",
  "https://api.mypurecloud.de.example.com",
  "https://example.com.api.mypurecloud.de",
  "https://xapi.mypurecloud.de",
  "https://api.mypurecloud.de:8443",
])("no agent's token goes to %s", (text) => {
  expect(accepts(url.contactCentreAddress, text)).toBe(false);
});

test.each([
  ["https://example.com///", "https://example.com"],
  ["https://EXAMPLE.com/Path/", "https://example.com/Path"],
])("the address %s is read as %s", (text, expected) => {
  expect(read(url.address, text)).toBe(expected);
});

test.each(["https://name@example.com", "https://:word@example.com"])(
  "an address with half of a log-in (%s) is refused",
  (text) => {
    expect(accepts(url.address, text)).toBe(false);
    expect(url.isSafeAddress(text)).toBe(false);
  },
);

test.each(["ftp://127.0.0.1", "ws://localhost", "http://127.0.0.1.example.com"])(
  "an address that is neither https nor http on loopback (%s) is refused",
  (text) => {
    expect(accepts(url.address, text)).toBe(false);
  },
);

test("what service tags begin with has at most 180 characters", () => {
  const base = "https://tags.example.com/";
  expect(accepts(url.serviceTagBase, base.padEnd(180, "x"))).toBe(true);
  expect(accepts(url.serviceTagBase, base.padEnd(181, "x"))).toBe(false);
});
