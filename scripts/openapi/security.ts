/** Who may call, in the API document's words: three schemes, and what each access asks for. */
import type { Access } from "../../src/lib/http/contract.ts";

const scope = "api://22222222-2222-4222-8222-222222222222/.default";

export const securitySchemes = {
  bearerToken: {
    type: "oauth2",
    description: "OAuth 2.0 client credentials; the scope is that of the consumer's own application",
    flows: {
      clientCredentials: {
        tokenUrl: "https://login.example.com/11111111-1111-4111-8111-111111111111/oauth2/v2.0/token",
        scopes: { [scope]: "Every private operation" },
      },
    },
  },
  agentToken: {
    type: "apiKey",
    in: "header",
    name: "x-auth-token",
    description: "The agent's own bearer token of the contact-centre cloud",
  },
  eventSinkCredentials: {
    type: "http",
    scheme: "basic",
    description: "The credentials of the event sink, which the platform's administrator enters there",
  },
} as const;

export const security: Record<
  Access,
  readonly Partial<Record<keyof typeof securitySchemes, readonly string[]>>[]
> = {
  application: [{ bearerToken: [scope] }],
  agent: [{ agentToken: [] }],
  "event-sink": [{ eventSinkCredentials: [] }],
  anyone: [],
};
