/** How single settings are written: addresses, lists, numbers, PINs, JSON. Messages name no value. */
import { createPrivateKey } from "node:crypto";
import * as z from "zod";

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether an address points to this computer, where plain `http:` is accepted. */
export function isLoopback(url: string): boolean {
  return URL.canParse(url) && loopbackHosts.has(new URL(url).hostname);
}

/** Whether a text is an absolute https address, or http on loopback, without credentials. */
export function isSafeAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(text));
  return isSafe && url.username === "" && url.password === "";
}

/** An absolute https address, or http on loopback, without credentials, query or fragment; no slash at the end. */
export const address = z.string().transform((text, context) => {
  const url = isSafeAddress(text) ? new URL(text) : undefined;
  if (!url || url.search || url.hash) {
    context.addIssue(
      "must be an absolute https address (http on loopback only) without credentials or query",
    );
    return z.NEVER;
  }
  return url.href.replace(/\/+$/, "");
});

/** An address without a path: the platform's own links begin at its root. */
export const origin = address.refine(
  (url) => new URL(url).pathname === "/",
  "must be an address without a path",
);

const maxTagBaseCharacters = 180;

/** What service tags begin with; short enough to leave room for the rest within the platform's 250 characters. */
export const serviceTagBase = address.refine(
  (url) => url.length <= maxTagBaseCharacters,
  `must have at most ${maxTagBaseCharacters} characters`,
);

/** The user name of HTTP Basic, where a colon ends it. */
export const username = z.string().refine((name) => !name.includes(":"), "must not contain a colon");

/** Several entries, separated by commas; at least one. */
export const list = z
  .string()
  .transform((text) => text.split(",").map((entry) => entry.trim()))
  .refine((entries) => entries.every((entry) => entry !== ""), "must be a list separated by commas");

/** A whole number within bounds. */
export function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

/** The platform's PIN form: 4 to 20 characters, digits with an optional `#` at the end. */
export const hostPin = z
  .string()
  .regex(/^(?:\d{4,20}|\d{3,19}#)$/, "must be 4 to 20 digits, the last may be a #");

const manyTenants = new Set(["common", "organizations", "consumers"]);

/** The id of one directory tenant as it stands in the provider's addresses and in its tokens. */
export const tenantId = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, "must be a tenant id")
  .refine((id) => !manyTenants.has(id.toLowerCase()), "must be the id of one tenant");

/** A P-256 private key in PEM form, as ES256 needs it; line ends may be written as `\n`. */
export const privateKey = z
  .string()
  .transform((text) => text.replaceAll("\\n", "\n"))
  .refine(isP256PrivateKey, "must be a P-256 private key in PEM form");

function isP256PrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

const fixedFields = (
  "name aliases pin guest_pin tag description service_type allow_guests " +
  "id resource_uri creation_time scheduled_conferences_count"
).split(" ");

/** JSON of Conference fields, in the platform's own form, that every new room gets. */
export const roomTemplate = z.string().transform((text, context): Readonly<Record<string, unknown>> => {
  const fields = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (!fields.success) {
    context.addIssue("must be a JSON object");
    return z.NEVER;
  }
  const fixed = fixedFields.filter((field) => field in fields.data);
  if (fixed.length > 0) context.addIssue(`must not set ${fixed.join(", ")}`);
  return fields.data;
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// https://developer.genesys.cloud/platform/api/ : the published regions.
const contactCentreHosts = new Set(
  (
    "mypurecloud.com mypurecloud.ie mypurecloud.com.au mypurecloud.jp mypurecloud.de usw2.pure.cloud " +
    "cac1.pure.cloud apne2.pure.cloud euw2.pure.cloud aps1.pure.cloud use2.us-gov-pure.cloud sae1.pure.cloud " +
    "mec1.pure.cloud apne3.pure.cloud euc2.pure.cloud mxc1.pure.cloud apse1.pure.cloud edee1.eusc-pure.cloud"
  )
    .split(" ")
    .map((host) => `api.${host}`),
);

/** The API address of a contact-centre region: a published one, so that no agent's token goes elsewhere. */
export const contactCentreAddress = address.refine(
  (url) => isLoopback(url) || contactCentreHosts.has(new URL(url).host),
  "must be the API address of a published region",
);

/** A storage connection string; its queue endpoint may be http on loopback only. */
export const connectionString = z.string().refine((text) => {
  if (/^UseDevelopmentStorage=true;?$/i.test(text.trim())) return true;
  const parts = new Map(text.split(";").map((part) => splitOnce(part)));
  const has = (name: string) => (parts.get(name) ?? "") !== "";
  const endpoint = parts.get("QueueEndpoint");
  const hasKey = ["DefaultEndpointsProtocol", "AccountName", "AccountKey"].every(has);
  const hasLogIn = hasKey || has("SharedAccessSignature");
  if (endpoint === undefined)
    return hasLogIn && parts.get("DefaultEndpointsProtocol")?.toLowerCase() !== "http";
  return hasLogIn && URL.canParse(endpoint) && (endpoint.startsWith("https:") || isLoopback(endpoint));
}, "must be a storage connection string (http on loopback only)");

function splitOnce(part: string): [string, string] {
  const [name = "", ...value] = part.split("=");
  return [name.trim(), value.join("=").trim()];
}
