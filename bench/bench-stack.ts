/** Everything under measurement, each part as a separate process. */
import { gatewaySettings } from "../local/gateway/gateway-settings.ts";
import { startGatewayProcess, startSimulatorProcesses } from "../local/gateway/processes.ts";

export interface BenchStack {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly connectionString: string;
  /** The process that runs the app. */
  readonly appProcessId: number;
  /** The headers of an authorised consumer. */
  readonly bearer: Readonly<Record<string, string>>;
  /** Calls the simulator's control API and returns the body of the response. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts all parts. The simulator's rate limit is off. `settings` override the usual ones of the gateway. */
export async function startBenchStack(
  settings: Record<string, string> = {},
  entry = "dist/main.js",
): Promise<BenchStack> {
  const simulators = await startSimulatorProcesses({ requestLimitPerMinute: null });
  const { surroundings, platformControlUrl, accessToken } = simulators;
  try {
    const gateway = await startGatewayProcess({
      entry,
      settings: { ...gatewaySettings(surroundings), MAX_VMR: "500", ...settings },
      pollSeconds: 0.2,
    });
    return {
      gatewayUrl: gateway.addresses.url,
      platformUrl: surroundings.platformUrl,
      connectionString: surroundings.connectionString,
      appProcessId: gateway.addresses.appProcessId,
      bearer: { authorization: `Bearer ${accessToken}` },
      async control(method, path, body) {
        const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
        const response = await fetch(`${platformControlUrl}${path}`, init);
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return response.status === 204 ? undefined : response.json();
      },
      async stop() {
        await gateway.stop();
        await simulators.stop();
      },
    };
  } catch (error) {
    await simulators.stop();
    throw error;
  }
}
