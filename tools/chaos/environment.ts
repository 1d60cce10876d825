/** The simulators behind faulty proxies, and the instances of the gateway, each as a process that can be killed. */
import * as z from "zod";
import {
  type GatewayProcess,
  startGatewayProcess,
  startSimulatorProcesses,
} from "../local/stack/processes.ts";
import { gatewaySettings } from "../simulators/gateway-settings.ts";
import { platformAccount } from "../simulators/identities.ts";
import type { SeededRandom } from "../simulators/process/seeded-random.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

export type Environment = Awaited<ReturnType<typeof startEnvironment>>;
export type Instances = Awaited<ReturnType<typeof startInstances>>;

const roomSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  tag: z.string().nullish(),
});
export type PlatformRoom = z.output<typeof roomSchema>;
const pageSchema = z.object({ objects: z.array(roomSchema) });

// A late request must arrive well before the gateway relies on it not arriving any more.
const maxLatenessSeconds = { storage: 1, platform: 3 };
const timeScale = { lockSeconds: 6, retrySeconds: 2, pollSeconds: 0.3 };

/** Starts the simulators and the proxies. */
export async function startEnvironment(random: SeededRandom) {
  const simulators = await startSimulatorProcesses({ requestLimitPerMinute: null });
  const { surroundings, queueServiceUrl, control, accessToken } = simulators;
  const startProxy = async (target: string, latenessSeconds: number) =>
    startFaultyProxy({ target, random, maxLatenessSeconds: latenessSeconds });
  const storageProxy = await startProxy(queueServiceUrl, maxLatenessSeconds.storage);
  const platformProxy = await startProxy(surroundings.platformUrl, maxLatenessSeconds.platform);
  const { username, password } = platformAccount;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

  return {
    storageProxy,
    platformProxy,
    accessToken,
    connectionString: surroundings.connectionString,
    /** The gateway's settings, with the URLs of the proxies. */
    settings: gatewaySettings({
      ...surroundings,
      connectionString: surroundings.connectionString.replace(queueServiceUrl, storageProxy.url),
      platformUrl: platformProxy.url,
    }),
    /** Returns a conference as the platform has it. */
    async find(name: string): Promise<PlatformRoom | undefined> {
      const path = `/api/admin/configuration/v1/conference/?name=${encodeURIComponent(name)}&limit=1`;
      const response = await fetch(`${surroundings.platformUrl}${path}`, { headers: { authorization } });
      return pageSchema.parse(await response.json()).objects[0];
    },
    /** Returns all conferences. */
    async rooms(): Promise<PlatformRoom[]> {
      return z.array(roomSchema).parse(await control("GET", "/control/rooms"));
    },
    async stop(): Promise<void> {
      await Promise.all([simulators.stop(), storageProxy.stop(), platformProxy.stop()]);
    },
  };
}

export interface InstancesOptions {
  readonly count: number;
  /** The deployed bundle. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly random: SeededRandom;
}

/** Starts all instances. Stops those that were started if another fails to start. */
export async function startInstances({ count, random, ...options }: InstancesOptions) {
  const running = new Map<number, GatewayProcess>();
  let killCount = 0;
  let isStopped = false;

  async function start(index: number): Promise<void> {
    if (running.has(index) || isStopped) return;
    const instance = await startGatewayProcess({ ...options, ...timeScale });
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
  }

  try {
    await startMissing();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    startMissing,
    stop,
    /** The number of instances killed so far. */
    killCount: (): number => killCount,
    /** Returns the URL of a running instance, or undefined if none is running. */
    pick: (): string | undefined => random.pick([...running.values()])?.addresses.url,
    /** Kills host and app of one instance, unless only one is running. */
    async killOne(): Promise<void> {
      const victim = running.size > 1 ? random.pick([...running]) : undefined;
      if (victim === undefined) return;
      const [index, instance] = victim;
      running.delete(index);
      killCount += 1;
      await killHostAndApp(instance);
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
