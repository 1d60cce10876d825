/** Starts everything that is measured, each part in its own process. */
import { gatewaySettings } from "../local/stack/gateway-settings.ts";
import { startGatewayProcess, startSimulatorProcesses } from "../local/stack/processes.ts";

export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

/** Starts all parts. The simulator's rate limit is off. `settings` override the usual ones of the gateway. */
export async function startBenchStack(settings: Record<string, string>) {
  const simulators = await startSimulatorProcesses({ requestLimitPerMinute: null });
  const { surroundings, control, accessToken } = simulators;
  try {
    const gateway = await startGatewayProcess({
      entry: "dist/main.js",
      settings: { ...gatewaySettings(surroundings), MAX_VMR: "500", ...settings },
      pollSeconds: 0.2,
    });
    return {
      gatewayUrl: gateway.addresses.url,
      platformUrl: surroundings.platformUrl,
      connectionString: surroundings.connectionString,
      /** The headers of an authorised consumer. */
      bearer: { authorization: `Bearer ${accessToken}` },
      control,
      async stop(): Promise<void> {
        await gateway.stop();
        await simulators.stop();
      },
    };
  } catch (error) {
    await simulators.stop();
    throw error;
  }
}
