/** The gateway's settings in the local environment, by name. */
import { identities } from "./identities.ts";

/** The URLs of everything that the gateway calls. */
export interface GatewaySurroundings {
  readonly connectionString: string;
  readonly platformUrl: string;
  readonly authorityUrl: string;
  readonly contactCentreUrl: string;
  readonly logWorkspaceUrl: string;
}

/** Returns settings that the gateway accepts. Callers spread them and override what differs. */
export function gatewaySettings(surroundings: GatewaySurroundings): Record<string, string> {
  return {
    AzureWebJobsStorage: surroundings.connectionString,
    PLATFORM_URL: surroundings.platformUrl,
    PLATFORM_USERNAME: identities.platformUsername,
    PLATFORM_PASSWORD: identities.platformPassword,
    ROOM_HOST_PIN: identities.hostPin,
    GATEWAY_NAME: identities.gatewayName,
    MAX_VMR: "50",
    SERVICE_TAG_BASE_URL: "https://verify.example.com/sessions",
    AUTH_TENANT_ID: identities.tenantId,
    AUTH_AUDIENCES: `api://${identities.clientId},${identities.clientId}`,
    AUTH_CLIENT_IDS: identities.clientId,
    AUTH_AUTHORITY: surroundings.authorityUrl,
    CONTACT_CENTRE_API_URL: surroundings.contactCentreUrl,
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
    EVENT_SINK_USERNAME: identities.sinkUsername,
    EVENT_SINK_PASSWORD: identities.sinkPassword,
    LOGS_INGESTION_ENDPOINT: surroundings.logWorkspaceUrl,
    LOGS_INGESTION_RULE_ID: "dcr-00000000000000000000000000000000",
    LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  };
}

/**
 * For local use: a name of its own for the gateway of each process, because gateways of one name would delete each
 * other's rooms, and short delays: rooms are ready after 1 s and collected 30 s after they end.
 */
export const localSettings = {
  GATEWAY_NAME: `local-${process.pid}`,
  MAX_VMR: "20",
  POOL_READY_DELAY_SECONDS: "1",
  GC_MINIMUM_AGE_SECONDS: "30",
};
