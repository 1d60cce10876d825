/** The faults during the load: connection faults at changing rates, outages, and killed instances. Timers run as well. */
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../local/process/seeded-random.ts";
import type { Environment } from "./environment.ts";
import { downModes, type FaultyProxy } from "./faulty-proxy.ts";
import type { GatewayCalls } from "./gateway-calls.ts";
import type { Instances } from "./instances.ts";
import { gatewayCallPattern, type PlatformView } from "./platform-view.ts";

export interface FaultOptions {
  readonly environment: Environment;
  readonly platform: PlatformView;
  readonly instances: Instances;
  readonly calls: GatewayCalls;
  readonly random: SeededRandom;
}

// The rates for storage are lower, because the host polls its queues constantly.
const faultRates = { storage: [0, 0, 0.005, 0.02, 0.1], platform: [0, 0.01, 0.02, 0.06, 0.15] };

// Faults of the platform itself, which a network cannot cause.
const platformFaults = [
  { kind: "html500", when: "after", share: 0.01 },
  { kind: "status", status: 500, when: "before", share: 0.01 },
  { kind: "status", status: 429, retryAfterSeconds: 1, share: 0.005 },
];

/** Starts all kinds of faults. */
export async function startFaults({ environment, platform, instances, calls, random }: FaultOptions) {
  const { storageProxy, platformProxy } = environment;
  const stopping = new AbortController();
  let outages = 0;
  const pause = async (seconds: number): Promise<void> =>
    delay(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function repeat(minSeconds: number, maxSeconds: number, act: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(random.between(minSeconds, maxSeconds));
      if (!stopping.signal.aborted) await act();
    }
  }

  async function changeFaultRates(): Promise<void> {
    storageProxy.setFaultRate(random.pick(faultRates.storage) ?? 0);
    platformProxy.setFaultRate(random.pick(faultRates.platform) ?? 0);
  }

  async function causeOutage(proxy: FaultyProxy, maxSeconds: number): Promise<void> {
    outages += 1;
    await proxy.goDown(random.pick(downModes) ?? "reset");
    await pause(random.between(maxSeconds / 3, maxSeconds));
    await proxy.goUp();
  }

  async function killAndRestart(): Promise<void> {
    const index = await instances.killOne();
    await pause(random.between(0.1, 1));
    if (index !== undefined) await instances.start(index);
  }

  for (const fault of platformFaults) {
    await platform.control("POST", "/control/faults", { ...fault, pathPattern: gatewayCallPattern });
  }
  const loops = Promise.all([
    repeat(0.3, 2, changeFaultRates),
    repeat(4, 12, async () => causeOutage(platformProxy, 2.5)),
    repeat(6, 16, async () => causeOutage(storageProxy, 1.25)),
    repeat(1.5, 4.5, killAndRestart),
    repeat(1, 3, async () => calls.runTimer("collectGarbage")),
    repeat(2, 4, async () => calls.runTimer("collectMetrics")),
  ]);
  // stopFaults reports an error; until then nobody listens.
  loops.catch(() => undefined);

  return {
    /** The number of outages so far. */
    outages: (): number => outages,
    /** Ends every fault and resolves when all instances are running again. */
    async stopFaults(): Promise<void> {
      stopping.abort();
      await loops;
      await Promise.all([storageProxy.endFaults(), platformProxy.endFaults()]);
      await platform.control("DELETE", "/control/faults");
      await instances.startMissing();
    },
  };
}
