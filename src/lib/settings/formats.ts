/** The formats of settings. Their messages never contain the value. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { QueueServiceClient } from "@azure/storage-queue";
import * as z from "zod";
import { containsObject, parseJson } from "../json.ts";

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Returns whether a URL points to this machine, where plain `http:` is accepted. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopbackHosts.has(new URL(url).hostname);
}

/** An absolute https URL, or http on loopback, without credentials, query or fragment. Trailing slashes are removed. */
export const absoluteUrl = z
  .string()
  .refine(isSafeUrl, "must be an absolute https URL (http on loopback only) without credentials or query")
  // Without a bare `?` or `#` at the end, which `href` keeps: a path behind it would not be one.
  .transform((text) => withoutTrailingSlashes(new URL(text).origin + new URL(text).pathname));

function withoutTrailingSlashes(url: string): string {
  return url.endsWith("/") ? withoutTrailingSlashes(url.slice(0, -1)) : url;
}

function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(text));
  return isSafe && [url.username, url.password, url.search, url.hash].every((part) => part === "");
}

/** A URL without a path, because the platform's own links start at its root. */
export const origin = absoluteUrl.refine(
  (url) => new URL(url).pathname === "/",
  "must be a URL without a path",
);

const maxTagBaseCharacters = 180;

/** The beginning of every service tag. It leaves enough of the platform's 250 characters for the rest. */
export const serviceTagBase = absoluteUrl.refine(
  (url) => url.length <= maxTagBaseCharacters,
  `must have at most ${maxTagBaseCharacters} characters`,
);

export const accountName = z.string().regex(/^[a-z0-9]{3,24}$/, "must be the name of a storage account");

/** The only way to name an identity that the host knows. */
export const managedIdentity = z.literal("managedidentity", "must be managedidentity");

/** The name in the markers of a gateway's rooms. It leaves 135 of the platform's 250 characters for other text. */
export const gatewayName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/,
    "must be 1 to 20 lower-case letters, digits and inner hyphens",
  );

/** What the collector does with rooms that have no marker. */
export const unmarkedRooms = z.enum(["collect", "keep"], "must be collect or keep");

/** A user name for HTTP Basic, without a colon, which would end it. */
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

/** The ID of one directory tenant, as the identity provider's URLs and tokens contain it. */
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

/** One or more certificates in PEM format, with any text between them. Line breaks may be written as `\n`. */
export const certificates = z
  .string()
  .transform((text) => text.replaceAll("\\n", "\n").split(/(?=-----BEGIN )/))
  .transform((parts) => parts.filter((part) => part.startsWith("-----BEGIN ")))
  .refine((blocks) => blocks.length > 0 && blocks.every(isCertificate), "must be certificates in PEM format")
  .transform((blocks) => blocks.map((block) => new X509Certificate(block)));

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** A storage connection string, whose parts the storage SDK checks. Its endpoints may use http on loopback only. */
export const connectionString = z
  .string()
  .refine(isConnectionString, "must be a storage connection string (http on loopback only)");

function isConnectionString(text: string): boolean {
  // The protocol applies to the services whose endpoints are not named.
  const namesBoth = ["BlobEndpoint=", "QueueEndpoint="].every((name) => text.includes(name));
  if (/Protocol=http(?![^\s;])/i.test(text) && !namesBoth) return false;
  const named = text.match(/(?<=Endpoint=)[^;]*/g) ?? [];
  try {
    const { url } = QueueServiceClient.fromConnectionString(text);
    return [url, ...named].every((endpoint) => endpoint.startsWith("https://") || isLoopback(endpoint));
  } catch {
    return false;
  }
}

// Either the gateway or the platform sets these fields.
const reservedFields = [
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
];

/** JSON of the Conference fields that every new room has, in the platform's format. */
export const roomTemplate = z.string().transform((text, context): Readonly<Record<string, unknown>> => {
  const fields = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (!fields.success) {
    context.addIssue("must be a JSON object");
    return z.NEVER;
  }
  const reserved = reservedFields.filter((field) => field in fields.data);
  if (reserved.length > 0) context.addIssue(`must not set ${reserved.join(", ")}`);
  // The platform would change the object, which other rooms share.
  const withObjects = Object.keys(fields.data).filter((field) => containsObject(fields.data[field]));
  if (withObjects.length > 0)
    context.addIssue(
      `must refer to objects by path, such as /api/admin/configuration/v1/ivr_theme/1/, in ${withObjects.join(", ")}`,
    );
  return fields.data;
});
