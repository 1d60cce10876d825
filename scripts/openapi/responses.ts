/** Every status that an operation can answer, with its body and headers: from its access, its input and its own list. */
import { type FailureCode, publicDetailOf, statusOf } from "../../src/lib/errors.ts";
import type { Access, HttpContract } from "../../src/lib/http/contract.ts";
import { bodyExamples, validationExample } from "./examples.ts";
import { queryParameters, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const accessFailures: Record<Access, readonly FailureCode[]> = {
  application: ["unauthenticated", "forbidden", "identity-provider-unavailable"],
  agent: ["unauthenticated", "forbidden", "contact-centre-unavailable"],
  "event-sink": ["unauthenticated"],
  anyone: [],
};

const bodyFailures: readonly FailureCode[] = ["length-required", "body-too-large", "invalid-request"];

// What stands before the app can answer each operation with 400 and 429, and the app with 500; the specification wants
// 404 for all of them.
const everyOperation = [400, 404, 429, 500];

const statusTexts: Record<number, string> = {
  200: "Success",
  202: "Taken; there is no body",
  204: "Done; there is no body",
  400: "The request is not valid HTTP; the Functions host answers, without a body",
  401: "The credentials are missing or wrong",
  403: "The credentials are right, but may not do this",
  404: "Not found; there is no body",
  411: "The body came without a Content-Length",
  413: "The body is too large",
  422: "A parameter or the body is wrong",
  429: "More calls than API Management lets through in a minute",
  500: "An unexpected error",
  502: "The conferencing platform refused the request",
  503: "Something that is needed cannot be reached, or the request was too much; try again",
};

const header = (name: keyof typeof responseHeaders): Json => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

export const responseHeaders = {
  "X-Invocation-Id": {
    description: "Quote it when you report a problem: the log lines of this request carry it",
    schema: { type: "string" },
    example: "77777777-7777-4777-8777-777777777777",
  },
  "Retry-After": {
    description: "Seconds to wait before the request is sent again",
    schema: { type: "integer" },
    example: 5,
  },
  "WWW-Authenticate": {
    description: "Which credentials are wanted, and what was wrong with those sent",
    schema: { type: "string" },
    example: 'Bearer realm="vmr-gateway", error="invalid_token"',
  },
} as const;

/** The responses of an operation by status, in the order of their numbers. */
export function responses(name: string, contract: HttpContract): Json {
  const successes = Object.entries(contract.answers).map(([status, schema]) => {
    const examples = bodyExamples(name, "response");
    const content = schema && { "application/json": { schema: referenceTo(schema), ...examples } };
    return [
      Number(status),
      {
        description: statusTexts[Number(status)],
        headers: header("X-Invocation-Id"),
        ...(content && { content }),
      },
    ] as const;
  });
  const failures = Map.groupBy(failuresOf(contract), statusOf);
  const failed = [...new Set([...everyOperation, ...failures.keys()])].map(
    (status) => [status, failure(status, failures.get(status) ?? [], contract)] as const,
  );
  // Keys that are numbers come in their own order, whatever it is here.
  return Object.fromEntries([...successes, ...failed]);
}

function failuresOf({ access, query, body, failures }: HttpContract): FailureCode[] {
  const hasQuery = query !== undefined && queryParameters(query).length > 0;
  const inputFailures = body ? bodyFailures : hasQuery ? (["invalid-request"] as const) : [];
  return [...accessFailures[access], ...inputFailures, ...failures];
}

function failure(status: number, codes: readonly FailureCode[], contract: HttpContract): Json {
  const description = statusTexts[status];
  const hasChallenge = status === 401 || (status === 403 && contract.access === "application");
  const isWorthRetrying = status === 429 || status === 503 || codes.includes("pool-exhausted");
  const isOfTheApp = status !== 400 && status !== 429;
  const headers = {
    ...(isOfTheApp && header("X-Invocation-Id")),
    ...(isWorthRetrying && header("Retry-After")),
    ...(hasChallenge && header("WWW-Authenticate")),
  };
  if (status === 400) return { description };
  if (status === 404) return { description, headers };
  if (status === 422)
    return { description, headers, content: json("HTTPValidationError", validationExample(contract)) };
  return { description, headers, content: json("Failure", { detail: detailOf(status, codes) }) };
}

function detailOf(status: number, codes: readonly FailureCode[]): string {
  if (status === 429) return "Too Many Requests";
  return codes.map(publicDetailOf).find((text) => text !== undefined) ?? "Internal Server Error";
}

const json = (schema: string, example: Json): Json => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, example },
});
