/** The local environment in processes of their own: the simulators, and the gateway's app in the local host. */
import * as z from "zod";
import type { QueueSettings } from "../../simulators/host/host-json.ts";
import { startChild } from "../../simulators/process/child.ts";

const simulatorsSchema = z.object({
  settings: z.record(z.string(), z.string()),
  controlUrl: z.url(),
  accessToken: z.string(),
});
const hostSchema = z.object({ url: z.url(), functions: z.array(z.unknown()) });

/** Starts everything that the gateway talks to in one process. */
export async function startSimulatorProcess() {
  const child = await startChild({
    script: "tools/local/commands/run-simulators.ts",
    addressesSchema: simulatorsSchema,
  });
  const { settings, controlUrl, accessToken } = child.addresses;
  return {
    /** The gateway's settings for these simulators. */
    settings,
    /** A consumer's token, valid for about an hour. */
    accessToken,
    /** Calls the platform's control API and returns the body of the response. */
    control: async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(`${controlUrl}${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    stop: child.kill,
  };
}

/** Starts the app, for example `dist/main.js`, in a host process. Throws if the app does not load. */
export async function startGatewayProcess(options: {
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly queues: Partial<QueueSettings>;
}) {
  const { entry, settings, queues } = options;
  const child = await startChild({
    script: "tools/local/commands/run-host.ts",
    addressesSchema: hostSchema,
    args: [entry, JSON.stringify(queues)],
    environment: settings,
  });
  if (child.addresses.functions.length > 0) return child;
  await child.kill();
  throw new Error(`${entry} could not be loaded`);
}
