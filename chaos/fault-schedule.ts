/** What strikes while the load runs: faults in changing strength, outages, killed processes; timers are fired as well. */
import { setTimeout as delay } from "node:timers/promises";
import type { Parts } from "./environment.ts";
import type { Fleet } from "./fleet.ts";
import type { GatewayCalls } from "./gateway-calls.ts";
import { appCalls, type PlatformView } from "./platform-view.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { DownMode, TcpProxy } from "./tcp-proxy.ts";

export interface WeatherOptions {
  readonly parts: Parts;
  readonly platform: PlatformView;
  readonly fleet: Fleet;
  readonly calls: GatewayCalls;
  readonly random: SeededRandom;
  readonly secondsBetweenKills: number;
  readonly secondsBetweenOutages: number;
  readonly maxOutageSeconds: number;
}

export interface Weather {
  /** How often the platform and the storage were down. */
  readonly outages: { platform: number; storage: number };
  /** Ends every fault and resolves when all processes run again. */
  clear(): Promise<void>;
}

// Every look into a queue is a request to the storage, so that a share means more strikes there.
const faultShares = { storage: [0, 0, 0.005, 0.02, 0.1], platform: [0, 0.01, 0.02, 0.06, 0.15] };
const downModes: readonly DownMode[] = ["refuse", "reset", "silence"];

// What the network cannot do: answers of a platform that is in trouble itself.
const platformFaults = [
  { kind: "html500", when: "after", share: 0.01 },
  { kind: "status", status: 500, when: "before", share: 0.01 },
  { kind: "status", status: 429, retryAfterSeconds: 1, share: 0.005 },
];

/** Starts all of it. */
export async function startWeather(options: WeatherOptions): Promise<Weather> {
  const { parts, platform, fleet, calls, random } = options;
  const stopping = new AbortController();
  const outages = { platform: 0, storage: 0 };
  const pause = async (seconds: number): Promise<void> =>
    delay(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function repeat(minSeconds: number, maxSeconds: number, act: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(random.between(minSeconds, maxSeconds));
      if (!stopping.signal.aborted) await act();
    }
  }

  async function blow(proxy: TcpProxy, shares: readonly number[]): Promise<void> {
    proxy.setFaultShare(random.pick(shares) ?? 0);
  }

  async function breakDown(proxy: TcpProxy, which: keyof typeof outages, maxSeconds: number): Promise<void> {
    outages[which] += 1;
    await proxy.goDown(random.pick(downModes) ?? "reset");
    await pause(random.between(maxSeconds / 3, maxSeconds));
    await proxy.goUp();
  }

  async function kill(): Promise<void> {
    const place = await fleet.killOne();
    await pause(random.between(0.1, 1));
    if (place !== undefined) await fleet.start(place);
  }

  for (const fault of platformFaults) {
    await platform.control("POST", "/control/faults", { ...fault, pathPattern: appCalls });
  }
  const { secondsBetweenKills, secondsBetweenOutages, maxOutageSeconds } = options;
  const [kills, gaps] = [secondsBetweenKills, secondsBetweenOutages];
  const loops = Promise.all([
    repeat(0.3, 2, async () => blow(parts.storageProxy, faultShares.storage)),
    repeat(0.3, 2, async () => blow(parts.platformProxy, faultShares.platform)),
    repeat(0.5 * gaps, 1.5 * gaps, async () => breakDown(parts.platformProxy, "platform", maxOutageSeconds)),
    repeat(0.7 * gaps, 2 * gaps, async () => breakDown(parts.storageProxy, "storage", maxOutageSeconds / 2)),
    repeat(0.5 * kills, 1.5 * kills, kill),
    repeat(1, 3, async () => void (await calls.fire("collectGarbage"))),
    repeat(2, 4, async () => void (await calls.fire("collectMetrics"))),
  ]);

  // Told by clear; until then nobody listens.
  loops.catch(() => undefined);

  return {
    outages,
    async clear() {
      stopping.abort();
      await loops;
      await Promise.all([parts.storageProxy.calm(), parts.platformProxy.calm()]);
      await platform.control("DELETE", "/control/faults");
      await fleet.startMissing();
    },
  };
}
