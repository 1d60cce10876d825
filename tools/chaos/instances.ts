/** The instances of the gateway. Any of them may be killed at any time, and is then started again. */

import type { SeededRandom } from "../local/process/seeded-random.ts";
import { type GatewayProcess, startGatewayProcess } from "../local/stack/processes.ts";

export type Instances = Awaited<ReturnType<typeof startInstances>>;

export interface InstancesOptions {
  readonly count: number;
  readonly bundlePath: string;
  readonly hostJsonPath: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly random: SeededRandom;
  /** Receives each line that an instance logs. */
  readonly onLine: (line: string) => void;
}

const timeScale = { lockSeconds: 6, retrySeconds: 2, pollSeconds: 0.3 };

/** Starts all instances. Stops those that were started if another fails to start. */
export async function startInstances(options: InstancesOptions) {
  const { count, random, bundlePath: entry, hostJsonPath, settings, onLine } = options;
  const running = new Map<number, GatewayProcess>();
  let killCount = 0;
  let isStopped = false;

  async function start(index: number): Promise<void> {
    if (running.has(index) || isStopped) return;
    const instance = await startGatewayProcess({ entry, hostJsonPath, settings, onLine, ...timeScale });
    if (isStopped) await killHostAndApp(instance);
    else running.set(index, instance);
  }
  /** Starts all instances that are not running. */
  async function startMissing(): Promise<void> {
    await Promise.all(Array.from({ length: count }, async (_, index) => start(index)));
  }
  async function stop(): Promise<void> {
    isStopped = true;
    await Promise.all([...running.values()].map(killHostAndApp));
    running.clear();
  }

  try {
    await startMissing();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    start,
    startMissing,
    stop,
    /** The number of instances killed so far. */
    killCount: (): number => killCount,
    /** Returns the URL of a running instance, or undefined if none is running. */
    pick: (): string | undefined => random.pick([...running.values()])?.addresses.url,
    /** Kills host and app of one instance and returns its index, or undefined if only one is running. */
    async killOne(): Promise<number | undefined> {
      const victim = running.size > 1 ? random.pick([...running]) : undefined;
      if (victim === undefined) return undefined;
      const [index, instance] = victim;
      running.delete(index);
      killCount += 1;
      await killHostAndApp(instance);
      return index;
    },
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
