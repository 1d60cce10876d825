/** The faults during the load: connection faults at changing rates, outages, and killed instances. Timers run as well. */
import { setTimeout as delay } from "node:timers/promises";
import type { SeededRandom } from "../simulators/process/seeded-random.ts";
import type { Environment, Instances } from "./environment.ts";
import { type FaultyProxy, outageModes } from "./faulty-proxy.ts";
import type { GatewayCalls } from "./gateway-calls.ts";

export interface FaultOptions {
  readonly environment: Environment;
  readonly instances: Instances;
  readonly calls: GatewayCalls;
  readonly random: SeededRandom;
}

// The rates for storage are lower, because the host polls its queues constantly.
const faultRates = { storage: [0, 0, 0.005, 0.02, 0.1], platform: [0, 0.01, 0.02, 0.06, 0.15] };

/** Starts all kinds of faults. */
export function startFaults({ environment, instances, calls, random }: FaultOptions) {
  const { storageProxy, platformProxy } = environment;
  const stopping = new AbortController();
  let outages = 0;
  const pause = async (min: number, max: number): Promise<void> =>
    delay(random.between(min, max) * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);

  /** Acts again and again, with pauses of this many seconds. */
  async function repeat(min: number, max: number, act: () => unknown): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(min, max);
      if (!stopping.signal.aborted) await act();
    }
  }
  function changeFaultRates(): void {
    storageProxy.setFaultRate(random.pick(faultRates.storage) ?? 0);
    platformProxy.setFaultRate(random.pick(faultRates.platform) ?? 0);
  }
  async function causeOutage(proxy: FaultyProxy, maxSeconds: number): Promise<void> {
    outages += 1;
    proxy.setOutage(random.pick(outageModes));
    await pause(maxSeconds / 3, maxSeconds);
    proxy.setOutage(undefined);
  }
  async function killAndRestart(): Promise<void> {
    await instances.killOne();
    await pause(0.1, 1);
    await instances.startMissing();
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
      for (const proxy of [storageProxy, platformProxy]) {
        proxy.setFaultRate(0);
        proxy.setOutage(undefined);
      }
      await instances.startMissing();
    },
  };
}
