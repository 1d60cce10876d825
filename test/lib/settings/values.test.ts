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
