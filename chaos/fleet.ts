/** The gateway's app processes: any of them may be killed at any time and is started again. */
import { z } from "zod";
import { type Child, type LineReader, startChild } from "./child.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface Fleet {
  /** Address of one of the processes that run; undefined when none does. */
  pick(): string | undefined;
  /** SIGKILL for host and app of one process; gives the place to start again, undefined when too few run. */
  killOne(): Promise<number | undefined>;
  start(place: number): Promise<void>;
  /** Starts whatever does not run. */
  startMissing(): Promise<void>;
  readonly kills: readonly Kill[];
  stop(): Promise<void>;
}

export interface Kill {
  readonly processId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface FleetOptions {
  readonly size: number;
  readonly bundlePath: string;
  readonly hostJsonPath: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly random: SeededRandom;
  readonly onLine: LineReader;
}

const timeScale = { lockSeconds: 6, retrySeconds: 2, pollSeconds: 0.3 };
// One process always stays, so that calls can be made at all.
const fewest = 1;

const appProcessSchema = z.object({ appProcessId: z.coerce.number().int(), url: z.url() });

/** Starts all processes. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const running = new Map<number, Child>();
  const kills: Kill[] = [];
  let isStopped = false;

  async function start(place: number): Promise<void> {
    if (running.has(place) || isStopped) return;
    const child = await startGateway(options, options.bundlePath);
    if (isStopped) await child.kill();
    else running.set(place, child);
  }
  async function startMissing(): Promise<void> {
    await Promise.all(Array.from({ length: options.size }, async (_, place) => start(place)));
  }
  async function stop(): Promise<void> {
    isStopped = true;
    await Promise.all([...running.values()].map(killBoth));
    running.clear();
  }

  try {
    await startMissing();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    kills,
    start,
    startMissing,
    stop,
    pick: () => options.random.pick([...running.values()])?.addresses["url"],
    async killOne() {
      const victim = running.size > fewest ? options.random.pick([...running]) : undefined;
      if (victim === undefined) return undefined;
      const [place, child] = victim;
      running.delete(place);
      kills.push({ processId: child.processId, at: Date.now() });
      await killBoth(child);
      return place;
    },
  };
}

/** Starts one process with this entry. */
export async function startGateway(
  { hostJsonPath, environment, onLine }: Pick<FleetOptions, "hostJsonPath" | "environment" | "onLine">,
  entry: string,
): Promise<Child> {
  const args = [JSON.stringify({ entry, hostJsonPath, ...timeScale })];
  return startChild("chaos/gateway-process.ts", { args, environment, onLine });
}

/** The app first: it would end by itself after its host, but only when it is done. The host is not to see it end. */
async function killBoth(child: Child): Promise<void> {
  const { appProcessId } = appProcessSchema.parse(child.addresses);
  try {
    process.kill(child.processId, "SIGSTOP");
    process.kill(appProcessId, "SIGKILL");
  } catch {
    // It has ended already.
  }
  await child.kill();
}
