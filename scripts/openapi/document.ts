/** The API document (OpenAPI 3.0.3), made from the contracts of the HTTP functions. */
import { type FailureCode, publicDetailOf, statusOf } from "../../src/lib/errors.ts";
import type { Access, HttpContract } from "../../src/lib/http-contract.ts";
import { version } from "../../src/lib/version.ts";
import { bodyExamples, parameterExamples, validationExamples } from "./examples.ts";
import { componentSchemas, queryParameters, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const security: Record<Access, Json[]> = {
  application: [{ bearerToken: ["api://22222222-2222-4222-8222-222222222222/.default"] }],
  agent: [{ agentToken: [] }],
  "event-sink": [{ eventSinkCredentials: [] }],
  anyone: [],
};

const accessFailures: Record<Access, readonly FailureCode[]> = {
  application: ["unauthenticated", "forbidden", "identity-provider-unavailable"],
  agent: ["unauthenticated", "forbidden", "contact-centre-unavailable"],
  "event-sink": ["unauthenticated"],
  anyone: [],
};

const bodyFailures: readonly FailureCode[] = ["length-required", "body-too-large", "invalid-request"];

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
  500: "An unexpected error",
  502: "The conferencing platform refused the request",
  503: "Something that is needed cannot be reached, or the request was too much; try again",
};

/** The whole document. `functions` are the HTTP functions by name, as they are registered. */
export function createDocument(functions: Readonly<Record<string, HttpContract>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, contract] of Object.entries(functions)) {
    const path = `/${contract.route.replace(/\{room_name:.*\}$/, "{room_name}")}`;
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(name, contract) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "VMR Gateway",
      version,
      description: "Hands out pre-provisioned virtual meeting rooms of a conferencing platform.",
      contact: { name: "Platform team", email: "platform-team@example.com" },
      license: { name: "MIT", url: "https://opensource.org/licenses/MIT" },
    },
    servers: [{ url: "https://gateway.example.com" }],
    tags: [
      { name: "private", description: "For server-side consumers with an OAuth 2.0 bearer token" },
      { name: "public", description: "For agents, the platform's event sinks and probes" },
    ],
    paths: Object.fromEntries(Object.entries(paths).toSorted(([one], [other]) => one.localeCompare(other))),
    components: {
      schemas: componentSchemas(),
      headers: componentHeaders,
      securitySchemes,
    },
  };
}

function operation(name: string, contract: HttpContract): Json {
  const { access, summary, description, isDeprecated, query, body } = contract;
  const parameters = [...pathParameters(contract), ...(query ? queryParameters(query) : [])].map(
    (parameter) => ({
      ...parameter,
      ...parameterExamples(String(parameter["name"])),
    }),
  );
  return {
    operationId: toSnakeCase(name),
    summary,
    description: description ?? `${summary}.`,
    tags: [access === "application" ? "private" : "public"],
    ...(isDeprecated && { deprecated: true }),
    security: security[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        description: `At most ${body.maximumBytes / 1024 / 1024} MiB.`,
        content: {
          "application/json": { schema: referenceTo(body.schema), ...bodyExamples(name, "request") },
        },
      },
    }),
    responses: responses(name, contract),
  };
}

function pathParameters({ route }: HttpContract): Json[] {
  if (!route.includes("{room_name")) return [];
  const description = "The room's exact name, percent-encoded";
  return [{ name: "room_name", in: "path", required: true, description, schema: { type: "string" } }];
}

function responses(name: string, contract: HttpContract): Json {
  const successes = Object.entries(contract.answers).map(([status, schema]) => [
    status,
    {
      description: statusTexts[Number(status)],
      headers: invocationHeader,
      ...(schema && {
        content: { "application/json": { schema: referenceTo(schema), ...bodyExamples(name, "response") } },
      }),
    },
  ]);
  const statuses = Map.groupBy(failuresOf(contract), statusOf);
  const failures = [...statuses].map(([status, codes]) => [
    String(status),
    failureResponse(status, codes, contract),
  ]);
  // The last one wins: what every operation can answer stands first.
  const always = [400, 404, 500].map((status) => [String(status), failureResponse(status, [], contract)]);
  const all = new Map([...always, ...successes, ...failures] as [string, Json][]);
  return Object.fromEntries([...all].toSorted(([one], [other]) => one.localeCompare(other)));
}

/** Every failure that an operation can answer: from its access, its input, and what it states itself. */
function failuresOf({ access, query, body, failures }: HttpContract): FailureCode[] {
  const hasInput = body !== undefined || (query !== undefined && queryParameters(query).length > 0);
  return [
    ...accessFailures[access],
    ...(body ? bodyFailures : []),
    ...(hasInput && !body ? (["invalid-request"] as const) : []),
    ...failures,
  ];
}

function failureResponse(status: number, codes: readonly FailureCode[], contract: HttpContract): Json {
  const description = statusTexts[status];
  const headers = {
    ...invocationHeader,
    ...((status === 503 || codes.includes("pool-exhausted")) && header("Retry-After")),
    ...((status === 401 || (status === 403 && contract.access === "application")) &&
      header("WWW-Authenticate")),
  };
  if (status === 400) return { description };
  if (status === 404) return { description, headers };
  if (status === 422) {
    const schema = { $ref: "#/components/schemas/HTTPValidationError" };
    const example = validationExamples(contract);
    return { description, headers, content: { "application/json": { schema, example } } };
  }
  const detail = codes.map(publicDetailOf).find((text) => text !== undefined) ?? "Internal Server Error";
  const content = {
    "application/json": { schema: { $ref: "#/components/schemas/Failure" }, example: { detail } },
  };
  return { description, headers, content };
}

const header = (name: string): Json => ({ [name]: { $ref: `#/components/headers/${name}` } });
const invocationHeader = header("X-Invocation-Id");

const componentHeaders: Json = {
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
};

const securitySchemes: Json = {
  bearerToken: {
    type: "oauth2",
    description: "OAuth 2.0 client credentials; the scope is that of the consumer's own application",
    flows: {
      clientCredentials: {
        tokenUrl: "https://login.example.com/11111111-1111-4111-8111-111111111111/oauth2/v2.0/token",
        scopes: { "api://22222222-2222-4222-8222-222222222222/.default": "Every private operation" },
      },
    },
  },
  agentToken: {
    type: "apiKey",
    in: "header",
    name: "x-auth-token",
    description: "The agent's own bearer token of the contact-centre cloud",
  },
  eventSinkCredentials: { type: "http", scheme: "basic", description: "The credentials of the event sink" },
};

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
