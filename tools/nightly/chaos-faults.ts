/** The faults of the chaos run: killed instances of the gateway, and connections that fail. */
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { StorageProxy } from "../../test/support/storage-proxy.ts";
import { type GatewayProcess, startGatewayProcess } from "../local/stack/processes.ts";
import type { PlatformSimulator } from "../simulators/platform/platform-simulator.ts";
import { createSeededRandom } from "../simulators/process/seeded-random.ts";

export const random = createSeededRandom(randomInt(2 ** 32));

const instanceCount = 3;
// In the proportions of the real host, as the settings of the run are.
const timeScale = { messageLockSeconds: 6, retryDelaySeconds: 2, pollSeconds: 0.3 };

export type Instances = ReturnType<typeof createInstances>;

/** Instances of the deployed bundle, each in a process of its own. None is started yet. */
export function createInstances(settings: Readonly<Record<string, string>>) {
  const running = new Map<number, GatewayProcess>();
  let kills = 0;
  return {
    kills: () => kills,
    /** Returns the URL of a running instance. */
    pick: (): string => random.pick([...running.values()])?.addresses.url ?? "",
    async startMissing(): Promise<void> {
      for (let index = 0; index < instanceCount; index++)
        if (!running.has(index))
          running.set(index, await startGatewayProcess({ entry: "dist/main.js", settings, timeScale }));
    },
    async killOne(): Promise<void> {
      const [index, instance] = random.pick([...running]) ?? [];
      if (index === undefined || !instance) return;
      running.delete(index);
      kills += 1;
      await killHostAndApp(instance);
    },
    stop: async () => Promise.all([...running.values()].map(killHostAndApp)),
  };
}

/** The host is suspended first, so it cannot react to the end of the app. */
async function killHostAndApp(instance: GatewayProcess): Promise<void> {
  try {
    process.kill(instance.processId, "SIGSTOP");
    process.kill(instance.addresses.appProcessId, "SIGKILL");
  } catch {
    // The process has already ended.
  }
  await instance.kill();
}

interface FaultOptions {
  readonly platform: PlatformSimulator;
  readonly storageProxy: StorageProxy;
  readonly instances: Instances;
}

/** Starts all kinds of faults. Returns a function that ends them, and resolves when all instances run again. */
export function startFaults({ platform, storageProxy, instances }: FaultOptions): () => Promise<void> {
  const stopping = new AbortController();
  const pause = async (minSeconds: number, maxSeconds: number): Promise<void> =>
    delay(random.between(minSeconds, maxSeconds) * 1000, undefined, { signal: stopping.signal }).catch(
      () => undefined,
    );

  async function repeat(minSeconds: number, maxSeconds: number, act: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(minSeconds, maxSeconds);
      if (!stopping.signal.aborted) await act();
    }
  }
  /** A share of the calls fails, before the platform carries them out or after it has. Writes fail more often. */
  async function changePlatformFaults(): Promise<void> {
    platform.clearFaults();
    const share = random.pick([0, 0.01, 0.02, 0.06, 0.15]) ?? 0;
    for (const when of ["before", "after"] as const)
      for (const kind of ["reset", "timeout", "status"] as const) {
        platform.addFault({ kind, when, share: share / 6 });
        for (const method of ["POST", "PATCH", "DELETE"])
          platform.addFault({ kind, when, method, share: share / 3 });
      }
  }
  /** The platform carries some calls out after the gateway has stopped waiting for them, and others in between. */
  async function delayPlatform(): Promise<void> {
    platform.setLatency({ milliseconds: random.between(1100, 3000) });
    await pause(0.03, 0.1);
    platform.setLatency({ milliseconds: 0 });
  }
  async function stopPlatform(): Promise<void> {
    await platform.goDown(random.pick(["refuse", "reset", "503"]));
    await pause(0.8, 2.5);
    await platform.goUp();
  }
  /** Cuts all connections to the queues; calls that were sent may have been carried out. */
  async function cutStorage(): Promise<void> {
    storageProxy.setDown(true);
    await pause(0, random.chance(0.1) ? 1.25 : 0.01);
    storageProxy.setDown(false);
  }
  async function killAndRestart(): Promise<void> {
    await instances.killOne();
    await pause(0.1, 1);
    await instances.startMissing();
  }

  const loops = Promise.all([
    repeat(0.3, 2, changePlatformFaults),
    repeat(1.5, 4, delayPlatform),
    repeat(4, 12, stopPlatform),
    repeat(0.5, 2, cutStorage),
    repeat(1.5, 4.5, killAndRestart),
  ]);
  // The function below reports an error; until then nobody listens.
  loops.catch(() => undefined);
  return async (): Promise<void> => {
    stopping.abort();
    await loops;
    platform.clearFaults();
  };
}
