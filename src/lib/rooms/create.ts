/** Creates a room. Contains the contract of both paths and the decoder of the service tag in `uuiData`. */
import * as z from "zod";
import { GatewayError, platformFailures } from "../errors.ts";
import { type HttpContract, httpFunction } from "../http/contract.ts";
import { faultWithInput, valueFault } from "../http/validation.ts";
import { parseJson } from "../json.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Claims } from "../pool/claim.ts";
import { type IdempotentClaims, KeyReusedError } from "../pool/idempotent-claims.ts";
import { CreatedRoom } from "./schemas.ts";
import { toCreatedRoom } from "./shapes.ts";

/** The platform's limit of a service tag. */
const maxTagCharacters = 250;
const maxInputCharacters = 4096;
// Far longer than a body with a service tag, and short enough to be parsed without delaying other requests.
const maxCheckedCharacters = 65_536;

/** The query of the operations that create a room. `decodeServiceTag` checks and decodes the value. */
const CreateQuery = z.object({
  uuiData: z
    .string()
    .optional()
    .meta({
      // Viewers take text in angle brackets for HTML and omit it, so the brackets are escaped.
      description:
        "The service tag in the form **&lt;hex&gt;;encoding=hex**, percent-encoded once in the URL, as most libraries do " +
        "by themselves. The digits are the UTF-8 text in hexadecimal. The text is an " +
        "http or https URL without credentials, or a path token (letters, digits, `-`, `.`, `_`, `~`; not beginning " +
        "with a dot) that the gateway appends to its configured base URL. The resulting URL has at most " +
        `${maxTagCharacters} characters. Without \`uuiData\`, the room's tag does not change.`,
      maxLength: maxInputCharacters,
      example:
        "68747470733a2f2f7665726966792e6578616d706c652e636f6d2f73657373696f6e732f38643166;encoding=hex",
    }),
});

/** The headers of a create. The Functions host joins two of one name by a comma, so a key contains none. */
const CreateHeaders = z.object({
  "idempotency-key": z
    .string()
    .refine(
      (value) => /^[\x21-\x2b\x2d-\x7e]{1,255}$/.test(unquoteKey(value)),
      "must be one key of 1 to 255 visible ASCII characters without a comma, quoted or bare",
    )
    .optional()
    .meta({
      description:
        "Makes the create safe to retry: within 24 hours, requests of the same application with the same key return " +
        "the same room. 1 to 255 visible ASCII characters without a comma, for example a UUID; quotation marks around " +
        "them are ignored.",
      example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
    }),
});

interface RoomCreationDependencies {
  readonly claims: Claims;
  readonly idempotentClaims: Pick<IdempotentClaims, "claim">;
  /** The base URL that a path token in `uuiData` is appended to. Without it, `uuiData` must contain a URL. */
  readonly serviceTagBaseUrl: string | undefined;
}

/** Returns a function that creates a room. The two paths of a create differ only in these fields. */
export function roomCreation(path: Pick<HttpContract, "route" | "summary" | "isDeprecated">) {
  return httpFunction({
    ...path,
    method: "POST",
    access: "application",
    description:
      "Allocates a room from the pool, sets its tag to the URL decoded from `uuiData`, and returns the room. " +
      "The response omits the host PIN. There is no request body. Each call without an `Idempotency-Key` hands out " +
      "another room, so send one with every create.",
    query: CreateQuery,
    headers: CreateHeaders,
    responses: { 200: CreatedRoom },
    failures: [
      "pool-exhausted",
      "room-not-found",
      "claim-failed",
      ...platformFailures,
      "storage-unavailable",
    ],
    async handle(
      { caller, query: { uuiData }, headers, readText },
      { claims, idempotentClaims, serviceTagBaseUrl }: RoomCreationDependencies,
      log,
    ) {
      refuseUuiDataInBody(await readText());
      const serviceTag = uuiData === undefined ? undefined : decodeServiceTag(uuiData, serviceTagBaseUrl);
      const key = headers["idempotency-key"];
      const claim =
        key === undefined || caller.kind !== "application"
          ? claims.claim(serviceTag, log)
          : idempotentClaims.claim({ application: caller.id, key: unquoteKey(key) }, serviceTag, log);
      const room = await claim.catch((error: unknown) => {
        throw asInvalidRequest(error, uuiData);
      });
      return { status: 200, body: toCreatedRoom(room) };
    },
  });
}

/** Rejects a service tag in a JSON body, which would be lost unnoticed. Ignores any other body, and a long one. */
function refuseUuiDataInBody(text: string): void {
  if (text.length > maxCheckedCharacters) return;
  const body = z.record(z.string(), z.unknown()).safeParse(parseJson(text)).data ?? {};
  const name = Object.keys(body).find((key) => key.toLowerCase() === "uuidata");
  if (name === undefined) return;
  const fault = valueFault(["body", name], "a create has no body; send uuiData as a query parameter");
  throw new GatewayError("invalid-request", { faults: [fault] });
}

/** Converts a failure that the request itself has caused to a 422. Returns any other error unchanged. */
function asInvalidRequest(error: unknown, uuiData: string | undefined): unknown {
  if (error instanceof KeyReusedError) {
    const fault = valueFault(["header", "idempotency-key"], "this key was used with another uuiData");
    return new GatewayError("invalid-request", { faults: [fault] });
  }
  const isTagRejected = error instanceof PlatformError && rejectedFields(error).includes("tag");
  return isTagRejected
    ? refusal(uuiData, "the conferencing platform rejected this service tag", error)
    : error;
}

/** Returns the error of a `uuiData` that breaks a rule. */
function refusal(uuiData: string | undefined, reason: string, cause?: unknown): GatewayError {
  const fault = faultWithInput(valueFault(["query", "uuiData"], reason), uuiData);
  return new GatewayError("invalid-request", { cause, faults: [fault] });
}

/** Returns the key without its quotation marks: quoted and bare forms are the same key. */
function unquoteKey(value: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, "$1");
}

/**
 * Returns the service tag in `uuiData`: an absolute http or https URL unchanged, or a path token appended to `baseUrl`.
 * Throws `invalid-request` with the violated rule for any other text.
 */
export function decodeServiceTag(uuiData: string, baseUrl: string | undefined): string {
  const refuse = (reason: string): never => {
    throw refusal(uuiData, reason);
  };
  if (uuiData.length > maxInputCharacters) return refuse("uuiData is too long");
  const [hex = "", ...parameters] = uuiData.split(";").map((part) => part.trim());
  if (!parameters.every(allowsHex)) return refuse("the encoding must be hex");
  if (/%(?:25)*3[bd]/i.test(hex)) return refuse("uuiData must be percent-encoded only once");
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return refuse("uuiData must be pairs of hexadecimal digits");
  const tag = toUrl(decodeText(hex) ?? refuse("uuiData must be UTF-8 without control characters"), baseUrl);
  if (tag === undefined) {
    return refuse("uuiData must contain an http or https URL without credentials, or a path token");
  }
  return tag.length > maxTagCharacters ? refuse("the service tag must have at most 250 characters") : tag;
}

/** Whether a parameter is not an encoding, or is `encoding=hex`. */
function allowsHex(parameter: string): boolean {
  const encoding = /^encoding\s*=\s*"?([^"]*?)"?$/i.exec(parameter)?.[1];
  return encoding === undefined || encoding.toLowerCase() === "hex";
}

/** Returns the text without a leading protocol discriminator (octet 00 or 04), or undefined if it is not plain text. */
function decodeText(hex: string): string | undefined {
  const octets = Buffer.from(hex, "hex");
  const start = octets[0] === 0x00 || octets[0] === 0x04 ? 1 : 0;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets.subarray(start));
    return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

// A base64url token may begin with - or _. A leading dot could lead out of the base URL's path.
const pathToken = /^[\w\-~][\w\-.~]*$/;

function toUrl(text: string, baseUrl: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
    return url && url.username === "" && url.password === "" ? text : undefined;
  }
  return baseUrl !== undefined && pathToken.test(text) ? `${baseUrl}/${text}` : undefined;
}
