/** Parts of the local environment as processes of their own: simulators, and the gateway's app in the local host. */
import * as z from "zod";
import type { GatewaySurroundings } from "../../simulators/gateway-settings.ts";
import { type Child, startChild } from "../../simulators/process/child.ts";
import { fetchAccessToken } from "./access-token.ts";

const storageSchema = z.object({ connectionString: z.string() });
const platformSchema = z.object({ platformUrl: z.url(), controlUrl: z.url() });
const identitySchema = z.object({
  authorityUrl: z.url(),
  tokenUrl: z.url(),
  contactCentreUrl: z.url(),
  logWorkspaceUrl: z.url(),
});
const hostSchema = z.object({
  url: z.url(),
  functions: z.array(z.object({ name: z.string() })),
  appProcessId: z.int(),
});

/** Starts Azurite, the platform without its rate limit, and the identity services. */
export async function startSimulatorProcesses() {
  const script = "tools/local/commands/run-simulator.ts";
  const children = await Promise.all([
    startChild({ script, args: ["storage"], addressesSchema: storageSchema }),
    startChild({ script, args: ["platform"], addressesSchema: platformSchema }),
    startChild({ script, args: ["identity"], addressesSchema: identitySchema }),
  ]);
  const [storage, platform, identity] = children;
  const { controlUrl, platformUrl } = platform.addresses;
  const { tokenUrl, ...identityUrls } = identity.addresses;
  const surroundings: GatewaySurroundings = { ...storage.addresses, platformUrl, ...identityUrls };
  return {
    surroundings,
    /** Calls the platform's control API and returns the body of the response. */
    control: async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(`${controlUrl}${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    /** A consumer's token, valid for about an hour. */
    accessToken: await fetchAccessToken(tokenUrl),
    stop: async () => Promise.all(children.map(async (child) => child.kill())),
  };
}

export type GatewayProcess = Child<z.output<typeof hostSchema>>;

export interface GatewayProcessOptions {
  /** The app, for example `dist/main.js`. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly lockSeconds?: number;
  readonly retrySeconds?: number;
  readonly pollSeconds?: number;
}

/** Starts the app in a host process. Throws if the app does not load. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { entry, settings, lockSeconds, retrySeconds, pollSeconds } = options;
  const timeScale = { messageLockSeconds: lockSeconds, retryDelaySeconds: retrySeconds, pollSeconds };
  const child = await startChild({
    script: "tools/local/commands/run-host.ts",
    addressesSchema: hostSchema,
    // What is undefined is left out.
    args: [entry, JSON.stringify(timeScale)],
    environment: settings,
  });
  if (child.addresses.functions.length > 0) return child;
  await child.kill();
  throw new Error(`${entry} could not be loaded`);
}
