/** Generates one operation of the API document from the contract of its function. */
import type { Access } from "../../../src/lib/auth/access.ts";
import type { HttpContract } from "../../../src/lib/http/contract.ts";
import { responses } from "./responses.ts";
import { headerParameters, mediaExamples, queryParameters, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const scope = "api://22222222-2222-4222-8222-222222222222/.default";

export const securitySchemes = {
  bearerToken: {
    type: "oauth2",
    description: "OAuth 2.0 client credentials. The scope is that of the consumer's own application.",
    flows: {
      clientCredentials: {
        tokenUrl: "https://login.example.com/11111111-1111-4111-8111-111111111111/oauth2/v2.0/token",
        scopes: { [scope]: "All private operations" },
      },
    },
  },
  agentToken: {
    type: "apiKey",
    in: "header",
    name: "x-auth-token",
    description: "The agent's bearer token for the contact-centre cloud",
  },
  eventSinkCredentials: {
    type: "http",
    scheme: "basic",
    description: "The credentials that the platform administrator enters for the event sink",
  },
} as const;

/** The schemes that each kind of access requires. */
const security: Record<Access, readonly Partial<Record<keyof typeof securitySchemes, readonly string[]>>[]> =
  {
    application: [{ bearerToken: [scope] }],
    agent: [{ agentToken: [] }],
    "event-sink": [{ eventSinkCredentials: [] }],
    anyone: [],
  };

/** Returns the operation of a function. Its operationId is the name in snake case, as in the specification. */
export function operation(name: string, contract: HttpContract): Json {
  const { access, summary, description, isDeprecated, body } = contract;
  const parameters = parametersOf(contract);
  return {
    operationId: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    summary,
    description,
    // As in the specification.
    tags: [access === "application" ? "private" : "public"],
    ...(isDeprecated && { deprecated: true }),
    security: security[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        description: `Maximum size: ${body.maxBytes / 1024 / 1024} MiB.`,
        content: {
          "application/json": {
            schema: referenceTo(body.published ?? body.schema),
            ...mediaExamples(contract.examples?.request),
          },
        },
      },
    }),
    responses: responses(contract),
  };
}

const correlationId = {
  name: "x-correlation-id",
  in: "header",
  required: false,
  description:
    "Identifies the request in the logs of everything that handles it. The response returns it. " +
    "The gateway generates one unless it is 1 to 128 letters, digits, `.`, `_` or `-`.",
  schema: { type: "string" },
  example: "order-2026-11-21-0815",
};

function parametersOf({ route, query, headers }: HttpContract): Json[] {
  const roomName = {
    name: "room_name",
    in: "path",
    required: true,
    description: "The room's exact name, percent-encoded",
    schema: { type: "string" },
    example: "WsOWh_sZ3K5Z5lYTppNVJV3y",
  };
  return [
    ...(route.includes("{room_name") ? [roomName] : []),
    ...(query ? queryParameters(query) : []),
    ...(headers ? headerParameters(headers) : []),
    correlationId,
  ];
}
