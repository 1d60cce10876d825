/** The responses of each operation, derived from its access, its input and the failures that it declares. */
import type { Access } from "../../src/lib/auth/access.ts";
import { type FailureCode, failures } from "../../src/lib/errors.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import type { BodyExamples, Examples } from "./examples.ts";
import { mediaExamples, parametersIn, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === "number" ? "integer" : "string" },
  example,
});

/** The limits of API Management unless a deployment sets others: the defaults in infra/main.bicepparam. */
const rateLimits: Readonly<Record<Access, string>> = {
  application: "600 calls per minute and client application",
  agent: "600 calls per minute and IP address",
  "event-sink": "6000 calls per minute and IP address",
  anyone: "600 calls per minute and IP address",
};

/** The response headers of all operations. */
export const responseHeaders = {
  "X-Invocation-Id": header(
    "Identifies the request in the log of the gateway. Include it when you report a problem.",
    "77777777-7777-4777-8777-777777777777",
  ),
  "X-Correlation-Id": header(
    "The `x-correlation-id` of the request, or the generated one",
    "order-2026-11-21-0815",
  ),
  "Retry-After": header("The number of seconds to wait before retrying the request", 5),
  "RateLimit-Limit": header("The number of calls that API Management allows per minute", 600),
  "RateLimit-Remaining": header("The number of calls that API Management still allows in this minute", 587),
  "X-Build": header("Identifies the deployed code by twelve hexadecimal digits", "5f0c9e2a7b41"),
  "WWW-Authenticate": header(
    "The required authentication scheme and, if a token was rejected, the reason",
    'Bearer realm="vmr-gateway", error="invalid_token"',
  ),
};

const accessFailures: Record<Access, readonly FailureCode[]> = {
  application: ["unauthenticated", "forbidden", "identity-provider-unavailable"],
  agent: ["unauthenticated", "forbidden", "contact-centre-unavailable"],
  "event-sink": ["unauthenticated"],
  anyone: [],
};

const bodyFailures: readonly FailureCode[] = ["length-required", "body-too-large", "invalid-request"];

// The Functions host refuses requests before the app receives them, without a body.
const refusedByHost = [400, 414, 431];

// API Management can return 429 and the app 500. The specification requires 404 everywhere.
const everyOperation = [...refusedByHost, 404, 429, 500];

const noBody = "The response has no body.";

const statusTexts: Record<number, string> = {
  200: "Success.",
  202: `Accepted. ${noBody}`,
  204: `Success. ${noBody}`,
  400: `The Functions host cannot read the request as HTTP. ${noBody}`,
  401: "The credentials are missing or not valid.",
  403: "The caller is not authorised for this operation.",
  411: "The body was sent without a Content-Length header.",
  413: "The body is too large.",
  414: `The URL is longer than the Functions host allows. ${noBody}`,
  422: "A parameter, a header or the body is not valid. `detail` names each fault and its location.",
  431: `The headers are larger than the Functions host allows. ${noBody}`,
  500: "An unexpected error occurred.",
  502: "The conferencing platform rejected the request.",
  503: "A dependency is unavailable, or the request could not be completed. Retry after `Retry-After` seconds.",
};

function statusText(status: number, codes: readonly FailureCode[], { access, route }: HttpContract): string {
  if (status === 429)
    return `API Management allows ${rateLimits[access]}, unless the deployment sets another limit.`;
  if (status !== 404) return statusTexts[status] ?? "";
  const ofRoom = codes.includes("room-not-found");
  if (ofRoom && route.includes("{room_name")) return `There is no room with this name. ${noBody}`;
  const reasons = [];
  if (codes.includes("pool-exhausted")) reasons.push("The pool is empty: retry after `Retry-After` seconds.");
  if (ofRoom)
    reasons.push("Without `Retry-After`, the room of a repeated `Idempotency-Key` has been deleted.");
  if (reasons.length === 0) reasons.push("No operation has this path.");
  return [...reasons, noBody].join(" ");
}

/** Returns the responses of an operation by status, in ascending order. `examples` are those of its bodies. */
export function responses(contract: HttpContract, examples: BodyExamples): Json {
  const codesByStatus = Map.groupBy(failuresOf(contract), (code): number => failures[code].status);
  const successes = Object.keys(contract.responses).map(Number);
  const statuses = new Set([...successes, ...everyOperation, ...codesByStatus.keys()]);
  // Objects list integer keys in ascending order.
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codes = codesByStatus.get(status) ?? [];
      const description = statusText(status, codes, contract);
      if (refusedByHost.includes(status)) return [status, { description }];
      const media = mediaOf(status, codes, contract, examples);
      const content = media && { content: { "application/json": media } };
      return [status, { description, headers: headersOf(status, codes, contract), ...content }];
    }),
  );
}

function failuresOf({ access, query, headers, body, failures }: HttpContract): FailureCode[] {
  const hasInput = headers !== undefined || (query !== undefined && parametersIn("query", query).length > 0);
  const inputFailures = body ? bodyFailures : hasInput ? (["invalid-request"] as const) : [];
  return [...accessFailures[access], ...inputFailures, ...failures];
}

/** Returns the headers of a response, as references to their definitions. */
function headersOf(status: number, codes: readonly FailureCode[], { access }: HttpContract): Json {
  const isSuccess = status < 300;
  const isThrottled = status === 429;
  const isSent: Record<keyof typeof responseHeaders, boolean> = {
    "X-Invocation-Id": !isThrottled,
    "X-Correlation-Id": true,
    "RateLimit-Limit": isSuccess || isThrottled,
    "RateLimit-Remaining": isSuccess || isThrottled,
    "Retry-After": isThrottled || status === 503 || codes.includes("pool-exhausted"),
    // Only the health check has it.
    "X-Build": isSuccess && access === "anyone",
    "WWW-Authenticate": status === 401 || (status === 403 && access === "application"),
  };
  const sent = Object.entries(isSent).filter(([, is]) => is);
  return Object.fromEntries(sent.map(([name]) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the schema of a body with its examples, or a falsy value if there is no body. */
function mediaOf(
  status: number,
  codes: readonly FailureCode[],
  contract: HttpContract,
  examples: BodyExamples,
): Json | false | null | undefined {
  const success = contract.responses[status];
  if (status < 300) return success && { schema: referenceTo(success), ...mediaExamples(examples.response) };
  const ofFailure = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
  if (status === 422) return { ...ofFailure("HTTPValidationError"), ...mediaExamples(examples.invalid) };
  return status !== 404 && { ...ofFailure("Failure"), ...mediaExamples(failureExamples(status, codes)) };
}

/** Returns one example of each text that the status can have, by the code of the failure in the log. */
function failureExamples(status: number, codes: readonly FailureCode[]): Examples {
  if (status === 429) return { throttled: { value: { detail: "Too Many Requests" } } };
  if (status === 500) return { unexpected: { value: { detail: "Internal Server Error" } } };
  return Object.fromEntries(codes.map((code) => [code, { value: { detail: failures[code].detail } }]));
}
