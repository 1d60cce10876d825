/** How a room is created: the contract of both paths, and how a room is allocated. */
import * as z from "zod";
import type { Caller } from "../auth/access.ts";
import { GatewayError, platformFailures } from "../errors.ts";
import { faultWithInput, valueFault } from "../http/validation.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow } from "../platform/conferences.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Claims } from "../pool/claim.ts";
import type { IdempotentClaims } from "../pool/idempotent-claims.ts";
import { createdRoomExample } from "./examples.ts";
import { CreatedRoom, CreateQuery } from "./schemas.ts";
import { decodeServiceTag } from "./service-tag.ts";

/** The headers of a create. */
const CreateHeaders = z.object({
  "idempotency-key": z
    .string()
    .refine(
      (value) => /^[\x21-\x7e]{1,255}$/.test(unquoteKey(value)),
      "must be 1 to 255 visible ASCII characters, quoted or bare",
    )
    .optional()
    .meta({
      description:
        "Makes the create safe to retry: within 24 hours, requests of the same application with the same key return " +
        "the same room. 1 to 255 visible ASCII characters, for example a UUID; quotation marks around them are ignored.",
      example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
    }),
});

/** What creating a room depends on. */
export interface RoomCreationDependencies {
  readonly claims: Claims;
  readonly idempotentClaims: IdempotentClaims;
  /** The address that a path token in `uuiData` is appended to. Without it, `uuiData` must contain a URL. */
  readonly serviceTagBaseUrl: string | undefined;
}

/** The shared part of the contracts. */
export const roomCreation = {
  description:
    "Allocates a room from the pool, sets its tag to the URL decoded from `uuiData`, and returns the room. " +
    "The response omits the host PIN. There is no request body. Each call without an `Idempotency-Key` hands out " +
    "another room, so send one with every create.",
  query: CreateQuery,
  headers: CreateHeaders,
  responses: { 200: CreatedRoom },
  failures: ["pool-exhausted", "room-not-found", "claim-failed", ...platformFailures, "storage-unavailable"],
  examples: {
    response: createdRoomExample,
    faults: {
      "not-hex": {
        summary: "Not hexadecimal",
        fault: {
          ...valueFault(["query", "uuiData"], "uuiData must be pairs of hexadecimal digits"),
          input: "xyz;encoding=hex",
        },
      },
      "not-a-url": {
        summary: "Neither a URL nor a path token",
        fault: {
          ...valueFault(
            ["query", "uuiData"],
            "uuiData must contain an http or https URL without credentials, or a path token",
          ),
          input: "6e6f742061206c696e6b;encoding=hex",
        },
      },
      "key-reused": {
        summary: "Key used with another uuiData",
        fault: valueFault(["header", "idempotency-key"], "this key was used with another uuiData"),
      },
    },
  },
} as const;

interface RoomRequest {
  readonly caller: Caller;
  readonly query: { readonly uuiData?: string | undefined };
  readonly headers: { readonly "idempotency-key"?: string | undefined };
  readonly readText: () => Promise<string>;
}

/**
 * Returns a room for one request, or the room that its idempotency key was given before. Throws what the claims throw,
 * and `invalid-request` if `uuiData` is not valid or is in the body, or if the platform rejects its service tag.
 */
export async function allocateRoom(
  { caller, query: { uuiData }, headers, readText }: RoomRequest,
  { claims, idempotentClaims, serviceTagBaseUrl }: RoomCreationDependencies,
  log: Log,
): Promise<ConferenceRow> {
  refuseUuiDataInBody(await readText());
  const serviceTag = uuiData === undefined ? undefined : decodeServiceTag(uuiData, serviceTagBaseUrl);
  const key = headers["idempotency-key"];
  const claim =
    key === undefined || caller.kind !== "application"
      ? claims.claim(serviceTag, log)
      : idempotentClaims.claim({ application: caller.id, key: unquoteKey(key) }, serviceTag, log);
  return claim.catch((error: unknown) => {
    throw isTagRejected(error) ? tagRejected(error, uuiData) : error;
  });
}

/** A service tag in a JSON body would be lost unnoticed. Any other body is ignored. */
function refuseUuiDataInBody(text: string): void {
  const body = z.record(z.string(), z.unknown()).safeParse(parseJson(text)).data ?? {};
  const name = Object.keys(body).find((key) => key.toLowerCase() === "uuidata");
  if (name === undefined) return;
  const fault = valueFault(["body", name], "a create has no body; send uuiData as a query parameter");
  throw new GatewayError("invalid-request", { faults: [fault] });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTagRejected(error: unknown): error is PlatformError {
  return error instanceof PlatformError && rejectedFields(error).includes("tag");
}

function tagRejected(cause: PlatformError, uuiData: string | undefined): GatewayError {
  const fault = valueFault(["query", "uuiData"], "the conferencing platform rejected this service tag");
  return new GatewayError("invalid-request", { cause, faults: [faultWithInput(fault, uuiData)] });
}

/** Returns the key without its quotation marks: quoted and bare forms are the same key. */
function unquoteKey(value: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, "$1");
}
