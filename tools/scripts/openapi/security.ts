/** The security schemes of the API document, and which of them each kind of access requires. */
import type { Access } from "../../../src/lib/auth/access.ts";

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

export const security: Record<
  Access,
  readonly Partial<Record<keyof typeof securitySchemes, readonly string[]>>[]
> = {
  application: [{ bearerToken: [scope] }],
  agent: [{ agentToken: [] }],
  "event-sink": [{ eventSinkCredentials: [] }],
  anyone: [],
};
