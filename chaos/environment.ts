/** The parts around the gateway, each a process of its own, with a fault proxy before the storage and the platform. */
import { z } from "zod";
import { identities } from "../local/gateway/identities.ts";
import { type Child, startChild } from "./child.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

export interface Parts {
  readonly storageProxy: TcpProxy;
  readonly platformProxy: TcpProxy;
  /** Past the proxies, for the audit. */
  readonly connectionString: string;
  readonly platformUrl: string;
  readonly platformControlUrl: string;
  readonly storageControlUrl: string;
  readonly logWorkspaceUrl: string;
  /** Of a consumer of the gateway. */
  readonly accessToken: string;
  /** What the gateway's settings say about its surroundings: the proxied addresses, log-ins and identities. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Long enough that no other number in a log looks like it. */
export const hostPin = "73190468251937";

// Both far below the time after which a claim counts on nothing being under way any more.
const latenessSeconds = { storage: 1, platform: 3 };

const tokenSchema = z.object({ access_token: z.string() });

/** Starts everything; what was started is stopped when a later part fails to start. */
export async function startParts(random: SeededRandom): Promise<Parts> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map(async (stopPart) => stopPart()));
  };
  const child = async (script: string, options?: object): Promise<Child["addresses"]> => {
    const started = await startChild(script, options && { args: [JSON.stringify(options)] });
    stops.push(async () => started.kill());
    return started.addresses;
  };
  const proxy = async (url: string, maxLatenessSeconds: number): Promise<TcpProxy> => {
    const started = await startTcpProxy({
      targetPort: Number(new URL(url).port),
      random,
      maxLatenessSeconds,
    });
    stops.push(async () => started.stop());
    return started;
  };
  const { platformUsername: username, platformPassword: password, clientId, clientSecret } = identities;
  try {
    const [storage, platform, identity] = await Promise.all([
      child("chaos/storage-process.ts"),
      child("local/commands/run-platform.ts", { username, password, requestLimitPerMinute: null }),
      child("local/commands/run-identity.ts", {
        tenantId: identities.tenantId,
        clients: [{ clientId, clientSecret }],
      }),
    ]);
    const storageProxy = await proxy(address(storage, "queueServiceUrl"), latenessSeconds.storage);
    const platformProxy = await proxy(address(platform, "url"), latenessSeconds.platform);
    const connectionString = address(storage, "connectionString");
    const ports = { storage: storageProxy.port, platform: platformProxy.port };
    return {
      storageProxy,
      platformProxy,
      connectionString,
      platformUrl: address(platform, "url"),
      platformControlUrl: address(platform, "controlUrl"),
      storageControlUrl: address(storage, "controlUrl"),
      logWorkspaceUrl: address(identity, "logWorkspaceUrl"),
      accessToken: await fetchToken(address(identity, "tokenUrl")),
      settings: surroundings({ ...identity, connectionString }, ports),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function address(addresses: Child["addresses"], name: string): string {
  const found = addresses[name];
  if (found === undefined) throw new Error(`a part did not say its ${name}`);
  return found;
}

async function fetchToken(tokenUrl: string): Promise<string> {
  const { clientId, clientSecret } = identities;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ ...form, scope: `api://${clientId}/.default` });
  const answer: unknown = await (await fetch(tokenUrl, { method: "POST", body })).json();
  const { access_token: token } = tokenSchema.parse(answer);
  return token;
}

function surroundings(
  addresses: Child["addresses"],
  ports: { storage: number; platform: number },
): Record<string, string> {
  const connectionString = address(addresses, "connectionString");
  return {
    AzureWebJobsStorage: connectionString.replace(
      /(QueueEndpoint=http:\/\/127\.0\.0\.1:)\d+/,
      (_, start: string) => `${start}${ports.storage}`,
    ),
    PLATFORM_URL: `http://127.0.0.1:${ports.platform}`,
    PLATFORM_USERNAME: identities.platformUsername,
    PLATFORM_PASSWORD: identities.platformPassword,
    ROOM_HOST_PIN: hostPin,
    AUTH_TENANT_ID: identities.tenantId,
    AUTH_AUDIENCES: `api://${identities.clientId}`,
    AUTH_CLIENT_IDS: identities.clientId,
    AUTH_AUTHORITY: address(addresses, "authorityUrl"),
    CONTACT_CENTRE_API_URL: address(addresses, "contactCentreUrl"),
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
    EVENT_SINK_USERNAME: identities.sinkUsername,
    EVENT_SINK_PASSWORD: identities.sinkPassword,
    LOGS_INGESTION_ENDPOINT: address(addresses, "logWorkspaceUrl"),
    LOGS_INGESTION_RULE_ID: "dcr-00000000000000000000000000000000",
    LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  };
}
