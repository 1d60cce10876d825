/** The parts under measurement, each a process of its own: Azurite, platform simulator, identity stubs, gateway. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { identities } from "../local/gateway/identities.ts";
import { childOf } from "./linux-process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly addresses: Record<string, string>;
}

/** Starts a script that prints its addresses as one JSON line. */
async function start(args: readonly string[], environment: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line", { signal: AbortSignal.timeout(30_000) })) as [string];
  return { child, addresses: JSON.parse(line) as Record<string, string> };
}

async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

export interface BenchStack {
  readonly gatewayUrl: string;
  /** The process of each part. */
  readonly processIds: Readonly<Record<"app" | "host" | "Azurite" | "platform", number>>;
  readonly platformUrl: string;
  readonly connectionString: string;
  readonly token: string;
  /** Calls the simulator's control API. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Restarts the gateway alone, with other settings on top of the usual ones; its address changes. */
  restartGateway(settings: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts all parts; the simulator's rate limit is off. */
export async function startBenchStack(settings: Record<string, string> = {}): Promise<BenchStack> {
  const platformOptions = {
    username: identities.platformUsername,
    password: identities.platformPassword,
    requestLimitPerMinute: null,
  };
  const user = {
    token: identities.agentToken,
    id: "1",
    name: "Agent",
    divisionId: identities.divisionId,
    divisionName: "Division",
  };
  const identityOptions = { tenantId: identities.tenantId, clients: [identities], users: [user] };
  const azurite = await start(["local/commands/run-azurite.ts"]);
  const platform = await start(["local/commands/run-platform.ts", JSON.stringify(platformOptions)]);
  const { clientId, clientSecret } = identities;
  const identity = await start([
    "local/commands/run-identity.ts",
    JSON.stringify({ ...identityOptions, clients: [{ clientId, clientSecret }] }),
  ]);
  const environment = gatewayEnvironment({ ...azurite.addresses, ...identity.addresses }, platform.addresses);
  const gateway = await startGateway({ ...environment, ...settings });
  const parts = { azurite, platform, identity, gateway };
  const controlUrl = platform.addresses["controlUrl"] ?? "";
  return {
    get gatewayUrl() {
      return parts.gateway.addresses["url"] ?? "";
    },
    get processIds() {
      const host = parts.gateway.child.pid ?? 0;
      return {
        // The host runs the app in its one child.
        app: childOf(host) ?? 0,
        host,
        Azurite: azurite.child.pid ?? 0,
        platform: platform.child.pid ?? 0,
      };
    },
    platformUrl: platform.addresses["url"] ?? "",
    connectionString: azurite.addresses["connectionString"] ?? "",
    token: await fetchToken(identity.addresses["tokenUrl"] ?? ""),
    async control(method, path, body) {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(`${controlUrl}${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    async restartGateway(other) {
      await stop(parts.gateway);
      parts.gateway = await startGateway({ ...environment, ...other });
    },
    async stop() {
      await stop(parts.gateway);
      await Promise.all([stop(azurite), stop(platform), stop(identity)]);
    },
  };
}

async function startGateway(environment: Record<string, string>): Promise<Started> {
  return start(
    ["local/commands/run-host.ts", "dist/main.js", "--no-timers", "--poll-seconds", "0.2"],
    environment,
  );
}

async function fetchToken(tokenUrl: string): Promise<string> {
  const { clientId, clientSecret } = identities;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ ...form, scope: `api://${clientId}/.default` });
  const answer = (await (await fetch(tokenUrl, { method: "POST", body })).json()) as { access_token: string };
  return answer.access_token;
}

function gatewayEnvironment(
  {
    connectionString = "",
    authorityUrl = "",
    contactCentreUrl = "",
    logWorkspaceUrl = "",
  }: Record<string, string>,
  { url: platformUrl = "" }: Record<string, string>,
): Record<string, string> {
  return {
    AzureWebJobsStorage: connectionString,
    PLATFORM_URL: platformUrl,
    PLATFORM_USERNAME: identities.platformUsername,
    PLATFORM_PASSWORD: identities.platformPassword,
    ROOM_HOST_PIN: identities.hostPin,
    MAX_VMR: "500",
    AUTH_TENANT_ID: identities.tenantId,
    AUTH_AUDIENCES: `api://${identities.clientId},${identities.clientId}`,
    AUTH_CLIENT_IDS: identities.clientId,
    AUTH_AUTHORITY: authorityUrl,
    CONTACT_CENTRE_API_URL: contactCentreUrl,
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
    EVENT_SINK_USERNAME: identities.sinkUsername,
    EVENT_SINK_PASSWORD: identities.sinkPassword,
    LOGS_INGESTION_ENDPOINT: logWorkspaceUrl,
    LOGS_INGESTION_RULE_ID: "dcr-00000000000000000000000000000000",
    LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  };
}
