/** What both paths of creating a room share: their contract, and how a room is allocated. */
import type { Caller } from "../auth/access.ts";
import { GatewayError, platformFailures } from "../errors.ts";
import { faultWithInput, valueFault } from "../http/validation-fault.ts";
import type { Log } from "../log.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { rejectedFields } from "../platform/rejected-fields.ts";
import type { Claims } from "../pool/claim.ts";
import type { IdempotentClaims } from "../pool/idempotent-claims.ts";
import { CreateHeaders, unquoteKey } from "./idempotency-key.ts";
import { CreatedRoom, CreateQuery } from "./room-schemas.ts";
import { decodeServiceTag } from "./service-tag.ts";

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
} as const;

interface RoomRequest {
  readonly caller: Caller;
  readonly query: { readonly uuiData?: string | undefined };
  readonly headers: { readonly "idempotency-key"?: string | undefined };
}

/**
 * Returns a room for one request, or the room that its idempotency key was given before. Throws what the claims throw,
 * and `invalid-request` if `uuiData` is not valid or the platform rejects its service tag.
 */
export async function allocateRoom(
  { caller, query: { uuiData }, headers }: RoomRequest,
  { claims, idempotentClaims, serviceTagBaseUrl }: RoomCreationDependencies,
  log: Log,
): Promise<ConferenceRow> {
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

function isTagRejected(error: unknown): error is PlatformError {
  return error instanceof PlatformError && rejectedFields(error).includes("tag");
}

function tagRejected(cause: PlatformError, uuiData: string | undefined): GatewayError {
  const fault = valueFault(["query", "uuiData"], "the conferencing platform rejected this service tag");
  return new GatewayError("invalid-request", { cause, faults: [faultWithInput(fault, uuiData)] });
}
