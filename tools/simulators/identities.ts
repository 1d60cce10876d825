/** The made-up identities of the local environment: tenant, consumer, agents, event sink and platform account. */

export const identities = {
  tenantId: "11111111-1111-4111-8111-111111111111",
  clientId: "22222222-2222-4222-8222-222222222222",
  clientSecret: "local-client-secret",
  divisionId: "33333333-3333-4333-8333-333333333333",
  otherDivisionId: "44444444-4444-4444-8444-444444444444",
  agentToken: "local-agent-token",
  otherAgentToken: "local-agent-of-another-division",
  gatewayName: "simulated",
  hostPin: "246810",
  sinkUsername: "event-sink",
  sinkPassword: "local-sink-password",
  platformUsername: "gateway",
  platformPassword: "local-platform-password",
} as const;

export interface ContactCentreUser {
  readonly token: string;
  readonly id: string;
  readonly name: string;
  readonly divisionId: string;
  readonly divisionName: string;
}

/** The agents that the contact centre knows: one of the authorised division, one of another. */
export const contactCentreUsers: ContactCentreUser[] = [
  {
    token: identities.agentToken,
    id: "55555555-5555-4555-8555-555555555555",
    name: "Agent One",
    divisionId: identities.divisionId,
    divisionName: "Video identification",
  },
  {
    token: identities.otherAgentToken,
    id: "66666666-6666-4666-8666-666666666666",
    name: "Agent Two",
    divisionId: identities.otherDivisionId,
    divisionName: "Another division",
  },
];
