/** The local environment with every part as its own process: simulators, and the gateway's app in the local host. */
import * as z from "zod";
import type { GatewaySurroundings } from "../../simulators/gateway-settings.ts";
import { platformAccount } from "../../simulators/identities.ts";
import type { simulatorOptionsSchema } from "../../simulators/platform/platform-state.ts";
import { type Child, startChild } from "../../simulators/process/child.ts";
import { fetchAccessToken } from "./access-token.ts";

const storageSchema = z.object({ connectionString: z.string(), queueServiceUrl: z.url() });
const platformSchema = z.object({ url: z.url(), controlUrl: z.url() });
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

/** Starts Azurite, the platform and the identity services. Stops what was started if a later part fails to start. */
export async function startSimulatorProcesses(
  platformOptions: Partial<z.input<typeof simulatorOptionsSchema>> = {},
) {
  const script = "tools/local/commands/run-simulator.ts";
  const options = JSON.stringify({ ...platformAccount, ...platformOptions });
  const starts = {
    storage: startChild({ script, args: ["storage"], addressesSchema: storageSchema }),
    platform: startChild({ script, args: ["platform", options], addressesSchema: platformSchema }),
    identity: startChild({ script, args: ["identity"], addressesSchema: identitySchema }),
  };
  const stop = async (): Promise<void> => {
    const children = await Promise.allSettled(Object.values(starts));
    await Promise.all(children.map(async (child) => child.status === "fulfilled" && child.value.kill()));
  };
  try {
    const [storage, platform, identity] = await Promise.all([
      starts.storage,
      starts.platform,
      starts.identity,
    ]);
    const { tokenUrl, ...identityUrls } = identity.addresses;
    const { connectionString, queueServiceUrl } = storage.addresses;
    const surroundings: GatewaySurroundings = {
      connectionString,
      platformUrl: platform.addresses.url,
      ...identityUrls,
    };
    return {
      surroundings,
      queueServiceUrl,
      /** Calls the platform's control API and returns the body of the response. */
      control: async (method: string, path: string, body?: unknown): Promise<unknown> => {
        const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
        const response = await fetch(`${platform.addresses.controlUrl}${path}`, init);
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return response.status === 204 ? undefined : response.json();
      },
      /** A consumer's token, valid for about an hour. */
      accessToken: await fetchAccessToken(tokenUrl),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type GatewayProcess = Child<z.output<typeof hostSchema>>;

export interface GatewayProcessOptions {
  /** The app, for example `dist/main.js`. */
  readonly entry: string;
  readonly hostJsonPath?: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly lockSeconds?: number;
  readonly retrySeconds?: number;
  readonly pollSeconds?: number;
  /** Receives each log entry of the host and the app, as one JSON object with level, category and message. */
  readonly onLine?: (line: string, processId: number) => void;
}

/** Starts the app in a host process. Throws if the app does not load. */
export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { entry, hostJsonPath, settings, lockSeconds, retrySeconds, pollSeconds, onLine } = options;
  const timeScale = {
    messageLockSeconds: lockSeconds,
    retryDelaySeconds: retrySeconds,
    pollSeconds,
  };
  const child = await startChild({
    script: "tools/local/commands/run-host.ts",
    addressesSchema: hostSchema,
    // What is undefined is left out.
    args: [entry, JSON.stringify({ hostJsonPath, timeScale })],
    environment: settings,
    ...(onLine && { onLine }),
  });
  if (child.addresses.functions.length > 0) return child;
  await child.kill();
  throw new Error(`${entry} could not be loaded`);
}
