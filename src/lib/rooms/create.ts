/** Creates a room: the contract of both paths. */
import * as z from "zod";
import { GatewayError, platformFailures } from "../errors.ts";
import { type HttpContract, httpFunction } from "../http/contract.ts";
import { invalidRequest, valueFault } from "../http/validation.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Claims } from "../pool/claim.ts";
import type { IdempotentClaims } from "../pool/idempotent-claims.ts";
import { CreatedRoom } from "./schemas.ts";
import { decodeServiceTag, invalidUuiData, maxTagCharacters, maxUuiDataCharacters } from "./service-tag.ts";
import { toCreatedRoom } from "./shapes.ts";

/** The query of the operations that create a room. `decodeServiceTag` checks and decodes the value. */
const CreateQuery = z.object({
  uuiData: z
    .string()
    .optional()
    .meta({
      // Viewers take text in angle brackets for HTML and omit it, so the brackets are escaped.
      description:
        "The service tag in the form **&lt;hex&gt;;encoding=hex**, percent-encoded once in the URL, as most libraries do " +
        "automatically. The digits are the UTF-8 text in hexadecimal. The text is an " +
        "http or https URL without credentials, or a path token (letters, digits, `-`, `.`, `_`, `~`; not beginning " +
        "with a dot) that the gateway appends to its configured base URL. The resulting URL has at most " +
        `${maxTagCharacters} characters. Without \`uuiData\`, the room's tag does not change.`,
      maxLength: maxUuiDataCharacters,
      example:
        "68747470733a2f2f7665726966792e6578616d706c652e636f6d2f73657373696f6e732f38643166;encoding=hex",
    }),
});

// Two callers who send one of these would get the same room. JavaScript, Python, C# and API clients write them by
// mistake, and docs/integration.md prints the first.
const placeholders = ["{KEY}", "{key}", "00000000-0000-0000-0000-000000000000"];
const placeholderPattern = /^(?:undefined|null|nan|none|<.*>|\{\{.*\}\}|\$\{.*\})$/i;

/** The headers of a create. The Functions host joins two of one name by a comma, so a key contains none. */
const CreateHeaders = z.object({
  "idempotency-key": z
    .string()
    .overwrite(unquoteKey)
    .refine(
      (key) => /^[\x21-\x2b\x2d-\x7e]{1,255}$/.test(key),
      "must be one key of 1 to 255 visible ASCII characters without a comma, quoted or bare",
    )
    .refine(
      (key) => !placeholders.includes(key) && !placeholderPattern.test(key),
      "must be a key of this create, not a placeholder",
    )
    .optional()
    .meta({
      description:
        "Makes the create safe to retry: within 24 hours, requests of the same application with the same key return " +
        "the same room. 1 to 255 visible ASCII characters without a comma, for example a UUID; quotation marks around " +
        "them are ignored. Placeholders are rejected: `undefined`, `null`, `nan` and `none` in any case, any text in " +
        "angle brackets, in `{{…}}` or in `${…}`, exactly `{KEY}` and `{key}`, and the GUID of zeros with hyphens.",
      example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
    }),
});

// A service tag there would be lost unnoticed. Any other body is ignored, also one that the host has dropped: PHP's
// form type, or an empty body of a proxy, comes with every create of some callers.
const uuiDataInBody = valueFault(["body"], "a create has no body; send uuiData as a query parameter");

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
      "key-reused",
      "claim-failed",
      "length-required",
      ...platformFailures,
      "storage-unavailable",
    ],
    async handle(
      { caller, query: { uuiData }, headers, readText, hasDroppedJson },
      { claims, idempotentClaims, serviceTagBaseUrl }: RoomCreationDependencies,
      log,
    ) {
      if (/uuidata/i.test(await readText())) throw invalidRequest(uuiDataInBody);
      if (hasDroppedJson && uuiData === undefined) throw new GatewayError("length-required");
      const serviceTag = uuiData === undefined ? undefined : decodeServiceTag(uuiData, serviceTagBaseUrl);
      const key = headers["idempotency-key"];
      const claim =
        key === undefined || caller.kind !== "application"
          ? claims.claim(serviceTag, log)
          : idempotentClaims.claim({ application: caller.id, key }, serviceTag, log);
      const room = await claim.catch((error: unknown) => {
        const isTagRejected = error instanceof PlatformError && rejectedFields(error).includes("tag");
        if (!isTagRejected) throw error;
        throw invalidUuiData(uuiData, "the conferencing platform rejected this service tag", error);
      });
      return { status: 200, body: toCreatedRoom(room) };
    },
  });
}

/** Returns the key without its quotation marks: quoted and bare forms are the same key. */
function unquoteKey(value: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, "$1");
}
