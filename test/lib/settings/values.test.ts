/** Single settings at the limits of their formats. */
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import type { z } from "zod";
import * as value from "../../../src/lib/settings/values.ts";

/** Returns the parsed value, or undefined if the schema rejects the text. */
const read = <Value>(schema: z.ZodType<Value>, text: string): Value | undefined =>
  schema.safeParse(text).data;
const accepts = (schema: z.ZodType, text: string): boolean => schema.safeParse(text).success;

test.each(["1234", "12345678901234567890", "123#", "1234567890123456789#"])("hostPin accepts %s", (pin) => {
  expect(read(value.hostPin, pin)).toBe(pin);
});

test.each(["123", "12#", "123456789012345678901", "12345678901234567890#", "1234##"])(
  "hostPin rejects %s",
  (pin) => {
    expect(accepts(value.hostPin, pin)).toBe(false);
  },
);

test.each(["common", "Organizations", "CONSUMERS"])("tenantId rejects %s", (text) => {
  expect(accepts(value.tenantId, text)).toBe(false);
});

test.each([
  ["P-256", true],
  ["P-384", false],
  ["secp256k1", false],
])("privateKey accepts a key on the curve %s: %s", (namedCurve, isAccepted) => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  expect(accepts(value.privateKey, pem)).toBe(isAccepted);
});

test("privateKey rejects other kinds of keys and public keys", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  expect(accepts(value.privateKey, privateKey.export({ type: "pkcs8", format: "pem" }).toString())).toBe(
    false,
  );
  expect(accepts(value.privateKey, publicKey.export({ type: "spki", format: "pem" }).toString())).toBe(false);
});
