/** The simulators, each as a separate process, with a fault proxy in front of the storage and of the platform. */

import type { SeededRandom } from "../local/process/seeded-random.ts";
import { gatewaySettings } from "../local/stack/gateway-settings.ts";
import { startSimulatorProcesses } from "../local/stack/processes.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;

/** So long that no other number in a log can be mistaken for it. */
export const hostPin = "73190468251937";

// A late request must arrive well before the gateway relies on it not arriving any more.
const maxLatenessSeconds = { storage: 1, platform: 3 };

/** Starts everything. Stops what was started if a later part fails to start. */
export async function startEnvironment(random: SeededRandom) {
  const simulators = await startSimulatorProcesses({ requestLimitPerMinute: null });
  const proxies: FaultyProxy[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all([simulators.stop(), ...proxies.map(async (proxy) => proxy.stop())]);
  };
  const startProxy = async (url: string, latenessSeconds: number): Promise<FaultyProxy> => {
    const targetPort = Number(new URL(url).port);
    const proxy = await startFaultyProxy({ targetPort, random, maxLatenessSeconds: latenessSeconds });
    proxies.push(proxy);
    return proxy;
  };
  try {
    const { surroundings, queueServiceUrl } = simulators;
    const storageProxy = await startProxy(queueServiceUrl, maxLatenessSeconds.storage);
    const platformProxy = await startProxy(surroundings.platformUrl, maxLatenessSeconds.platform);
    /** The gateway's settings, with the URLs of the proxies. */
    const settings: Readonly<Record<string, string>> = {
      ...gatewaySettings({
        ...surroundings,
        connectionString: surroundings.connectionString.replace(
          /(QueueEndpoint=http:\/\/127\.0\.0\.1:)\d+/,
          (_, start: string) => `${start}${storageProxy.port}`,
        ),
        platformUrl: `http://127.0.0.1:${platformProxy.port}`,
      }),
      ROOM_HOST_PIN: hostPin,
    };
    return { simulators, storageProxy, platformProxy, settings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
