/** The responses of each operation, derived from its access, its input and the failures that it states. */
import type { Access } from "../../src/lib/auth/access.ts";
import { type FailureCode, publicDetailOf, statusOf } from "../../src/lib/errors.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { bodyExample, validationExample } from "./examples.ts";
import { queryParameters, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const accessFailures: Record<Access, readonly FailureCode[]> = {
  application: ["unauthenticated", "forbidden", "identity-provider-unavailable"],
  agent: ["unauthenticated", "forbidden", "contact-centre-unavailable"],
  "event-sink": ["unauthenticated", "forbidden"],
  anyone: [],
};

const bodyFailures: readonly FailureCode[] = ["length-required", "body-too-large", "invalid-request"];

// The Functions host can return 400, API Management 429 and the app 500. The specification requires 404 everywhere.
const everyOperation = [400, 404, 429, 500];

const statusTexts: Record<number, string> = {
  200: "Success.",
  202: "Accepted. The response has no body.",
  204: "Success. The response has no body.",
  400: "The Functions host cannot read the request as HTTP. The response has no body.",
  401: "The credentials are missing or not valid.",
  403: "The caller is not authorised for this operation.",
  404: "Not found. The response has no body.",
  411: "The body was sent without a Content-Length header.",
  413: "The body is too large.",
  422: "A parameter or the body is not valid.",
  429: "The number of requests exceeds the limit that API Management allows per minute.",
  500: "An unexpected error occurred.",
  502: "The conferencing platform rejected the request.",
  503: "A dependency is unavailable, or the request could not be completed. Retry after `Retry-After` seconds.",
};

const header = (name: keyof typeof responseHeaders): Json => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

export const responseHeaders = {
  "X-Invocation-Id": {
    description: "Identifies the request in the log of the gateway. Include it when you report a problem.",
    schema: { type: "string" },
    example: "77777777-7777-4777-8777-777777777777",
  },
  "X-Correlation-Id": {
    description: "The `x-correlation-id` of the request, or the one that was made for it",
    schema: { type: "string" },
    example: "order-2026-11-21-0815",
  },
  "Retry-After": {
    description: "The number of seconds to wait before retrying the request",
    schema: { type: "integer" },
    example: 5,
  },
  "WWW-Authenticate": {
    description: "The required authentication scheme and, if a token was rejected, the reason",
    schema: { type: "string" },
    example: 'Bearer realm="vmr-gateway", error="invalid_token"',
  },
} as const;

const idHeaders = { ...header("X-Invocation-Id"), ...header("X-Correlation-Id") };

/** Returns the responses of an operation by status, in ascending order. */
export function responses(name: string, contract: HttpContract): Json {
  const successes = Object.entries(contract.responses).map(([status, schema]) => {
    const content = schema && {
      "application/json": { schema: referenceTo(schema), example: bodyExample(name, "response") },
    };
    return [
      Number(status),
      {
        description: statusTexts[Number(status)],
        headers: idHeaders,
        ...(content && { content }),
      },
    ] as const;
  });
  const failures = Map.groupBy(failuresOf(contract), statusOf);
  const failed = [...new Set([...everyOperation, ...failures.keys()])].map(
    (status) => [status, failure(status, failures.get(status) ?? [], contract)] as const,
  );
  // Objects list integer keys in ascending order.
  return Object.fromEntries([...successes, ...failed]);
}

function failuresOf({ access, query, headers, body, failures }: HttpContract): FailureCode[] {
  const hasInput = headers !== undefined || (query !== undefined && queryParameters(query).length > 0);
  const inputFailures = body ? bodyFailures : hasInput ? (["invalid-request"] as const) : [];
  return [...accessFailures[access], ...inputFailures, ...failures];
}

function failure(status: number, codes: readonly FailureCode[], contract: HttpContract): Json {
  const description = statusTexts[status];
  const hasChallenge = status === 401 || (status === 403 && contract.access === "application");
  const isWorthRetrying = status === 429 || status === 503 || codes.includes("pool-exhausted");
  const isFromApp = status !== 400 && status !== 429;
  const headers = {
    ...(isFromApp && idHeaders),
    ...(isWorthRetrying && header("Retry-After")),
    ...(hasChallenge && header("WWW-Authenticate")),
  };
  if (status === 400) return { description };
  if (status === 404) return { description, headers };
  if (status === 422) {
    return { description, headers, content: json("HTTPValidationError", validationExample(contract)) };
  }
  return { description, headers, content: json("Failure", { detail: detailOf(status, codes) }) };
}

function detailOf(status: number, codes: readonly FailureCode[]): string {
  if (status === 429) return "Too Many Requests";
  return codes.map(publicDetailOf).find((text) => text !== undefined) ?? "Internal Server Error";
}

const json = (schema: string, example: Json): Json => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example },
});
