/** Settings that are names, lists, numbers, PINs or keys. Messages never contain the value. */
import { createPrivateKey } from "node:crypto";
import * as z from "zod";

/** A user name for HTTP Basic, which ends it with a colon. */
export const username = z.string().refine((name) => !name.includes(":"), "must not contain a colon");

/** At least one entry, separated by commas. */
export const list = z
  .string()
  .transform((text) => text.split(",").map((entry) => entry.trim()))
  .refine((entries) => entries.every((entry) => entry !== ""), "must be a comma-separated list");

/** Returns the schema of a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

/** A PIN as the platform accepts it: 4 to 20 characters, digits with an optional final `#`. */
export const hostPin = z
  .string()
  .regex(/^(?:\d{4,20}|\d{3,19}#)$/, "must be 4 to 20 digits, or 3 to 19 digits and a #");

const manyTenants = new Set(["common", "organizations", "consumers"]);

/** The ID of one directory tenant, as the identity provider's addresses and tokens contain it. */
export const tenantId = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, "must be a tenant ID")
  .refine((id) => !manyTenants.has(id.toLowerCase()), "must be the ID of a single tenant");

/** A P-256 private key in PEM format, as ES256 requires. Line breaks may be written as `\n`. */
export const privateKey = z
  .string()
  .transform((text) => text.replaceAll("\\n", "\n"))
  .refine(isP256PrivateKey, "must be a P-256 private key in PEM format");

function isP256PrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}
