/** Everything that the gateway talks to, on loopback in this process, and the settings that connect the gateway to it. */
import { type Azurite, startAzurite } from "../simulators/azurite.ts";
import {
  type ContactCentre,
  type ContactCentreUser,
  startContactCentre,
} from "../simulators/contact-centre.ts";
import { startTokenIssuer, type TokenIssuer } from "../simulators/identity/token-issuer.ts";
import { type LogWorkspace, startLogWorkspace } from "../simulators/log-workspace.ts";
import type { SimulatorOptions } from "../simulators/platform/platform-options.ts";
import { type PlatformSimulator, startPlatformSimulator } from "../simulators/platform/platform-simulator.ts";

/** Made-up identities of the development stack. */
export const identities = {
  tenantId: "11111111-1111-4111-8111-111111111111",
  clientId: "22222222-2222-4222-8222-222222222222",
  clientSecret: "local-client-secret",
  divisionId: "33333333-3333-4333-8333-333333333333",
  otherDivisionId: "44444444-4444-4444-8444-444444444444",
  agentToken: "local-agent-token",
  otherAgentToken: "local-agent-of-another-division",
  hostPin: "246810",
  sinkUsername: "event-sink",
  sinkPassword: "local-sink-password",
  platformUsername: "gateway",
  platformPassword: "local-platform-password",
} as const;

const users: ContactCentreUser[] = [
  {
    token: identities.agentToken,
    id: "55555555-5555-4555-8555-555555555555",
    name: "Agent One",
    divisionId: identities.divisionId,
    divisionName: "Video identification",
    state: "active",
  },
  {
    token: identities.otherAgentToken,
    id: "66666666-6666-4666-8666-666666666666",
    name: "Agent Two",
    divisionId: identities.otherDivisionId,
    divisionName: "Another division",
    state: "active",
  },
];

export interface DevelopmentStack {
  readonly azurite: Azurite;
  readonly platform: PlatformSimulator;
  readonly issuer: TokenIssuer;
  readonly contactCentre: ContactCentre;
  readonly logWorkspace: LogWorkspace;
  /** The gateway's settings, by their names in the environment. */
  readonly settings: Record<string, string>;
  stop(): Promise<void>;
}

export interface DevelopmentStackOptions {
  /** Also starts Azurite's blob and table services, which `func start` needs. */
  readonly withBlobsAndTables?: boolean;
  readonly platform?: Partial<SimulatorOptions>;
}

/** Starts all parts on free ports of 127.0.0.1. What was started is stopped when a later part fails to start. */
export async function startDevelopmentStack(
  options: DevelopmentStackOptions = {},
): Promise<DevelopmentStack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map(async (stopPart) => stopPart()));
  };
  const started = <Part extends { stop: () => Promise<void> }>(part: Part): Part => {
    stops.push(async () => part.stop());
    return part;
  };
  const { withBlobsAndTables: isWhole = false } = options;
  try {
    const azurite = started(await startAzurite({ blob: isWhole, table: isWhole }));
    const platform = started(
      await startPlatformSimulator({
        username: identities.platformUsername,
        password: identities.platformPassword,
        ...options.platform,
      }),
    );
    const issuer = started(await startTokenIssuer({ tenantId: identities.tenantId, clients: [identities] }));
    const contactCentre = started(await startContactCentre({ users }));
    const logWorkspace = started(await startLogWorkspace());
    const settings = gatewaySettings({ azurite, platform, issuer, contactCentre, logWorkspace });
    return { azurite, platform, issuer, contactCentre, logWorkspace, settings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Addresses = Pick<DevelopmentStack, "azurite" | "platform" | "issuer" | "contactCentre" | "logWorkspace">;

function gatewaySettings(parts: Addresses): Record<string, string> {
  return {
    AzureWebJobsStorage: parts.azurite.connectionString,
    PLATFORM_URL: parts.platform.url,
    PLATFORM_USERNAME: identities.platformUsername,
    PLATFORM_PASSWORD: identities.platformPassword,
    ROOM_HOST_PIN: identities.hostPin,
    MAX_VMR: "50",
    SERVICE_TAG_BASE_URL: "https://verify.example.com/sessions",
    AUTH_TENANT_ID: identities.tenantId,
    AUTH_AUDIENCES: `api://${identities.clientId},${identities.clientId}`,
    AUTH_CLIENT_IDS: identities.clientId,
    AUTH_AUTHORITY: parts.issuer.url,
    CONTACT_CENTRE_API_URL: parts.contactCentre.url,
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
    EVENT_SINK_USERNAME: identities.sinkUsername,
    EVENT_SINK_PASSWORD: identities.sinkPassword,
    LOGS_INGESTION_ENDPOINT: parts.logWorkspace.url,
    LOGS_INGESTION_RULE_ID: "dcr-00000000000000000000000000000000",
    LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  };
}
