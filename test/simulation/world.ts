/** The simulated world: two processes, the queues, the platform, and the virtual time that they share. */
import type { RandomSource } from "../../src/lib/ports.ts";
import { createVirtualClock, type VirtualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryGateway, createMemoryWorld } from "../../tools/simulators/memory/gateway.ts";
import { createSeededRandom } from "../../tools/simulators/memory/seeded-random.ts";
import {
  createPorts,
  type Fault,
  type Ports,
  requireTask,
  type SimulatedProcess,
  type Task,
} from "./faults.ts";
import type { History } from "./history.ts";
import { createLedger } from "./ledger.ts";
import { type AppProcess, type Plan, startProcess } from "./processes.ts";
import { createProvisioningHost } from "./provisioning-host.ts";
import { simulateNetwork } from "./simulated-network.ts";
import { createSimulatedPlatform } from "./simulated-platform.ts";
import { failStorage, observeQueue } from "./simulated-storage.ts";

/** How many rooms the pool is to hold. */
export interface PoolLevel {
  readonly max: number;
  readonly min: number;
}

interface Outage {
  readonly fault: Fault;
  readonly until: number;
}

export interface WorldOptions {
  readonly trace?: ((line: string) => void) | undefined;
  readonly level?: PoolLevel;
  readonly processCount?: number;
  readonly platformTimeoutSeconds?: number;
  /** Replaces the ports, for example by ports whose order the exploration chooses. */
  readonly wrapPorts?: (ports: Ports, clock: VirtualClock) => Ports;
  /** The source of a process's names and delays. The world's own by default. */
  readonly randomOf?: (process: SimulatedProcess) => RandomSource;
}

export type World = ReturnType<typeof createWorld>;

/** Part of every service tag here. It must not be logged. */
export const tagHost = "verification.example.com";
export const hostPin = "902817364519";

export function createWorld(history: Omit<History, "steps">, options: WorldOptions = {}) {
  const {
    seed,
    provisioningFaults,
    skewMilliseconds = 0,
    readyDelaySeconds = 90,
    leaseSeconds = 300,
  } = history;
  const { trace, level = { max: 6, min: 2 }, processCount = 2, platformTimeoutSeconds = 10 } = options;
  const random = createSeededRandom(seed);
  const clock = createVirtualClock(createSeededRandom(seed + 1));
  const now = () => clock.now();
  let lastNumber = 0;
  const newNumber = () => {
    lastNumber += 1;
    return lastNumber;
  };
  const newId = () => `id-${newNumber()}`;
  const { rows, records, queues, platform: memoryPlatform } = createMemoryWorld(clock, newId);
  const platform = createSimulatedPlatform(memoryPlatform);
  const ledger = createLedger({
    platform,
    poolTexts: () => queues.pool.texts(),
    requestTexts: () => queues.provisioning.texts(),
    now,
    skewMilliseconds: Math.abs(skewMilliseconds),
    secrets: [hostPin, tagHost],
  });
  const outages = new Map<"platform" | "storage", Outage>();
  const running = new Set<Task>();
  let provisioningRuns: number | undefined;

  const timedPorts = createPorts({
    clock,
    trace,
    outageFault: (target, task) => {
      const outage = outages.get(target);
      return outage && outage.until > now() && task.random.integerBelow(4) > 0 ? outage.fault : undefined;
    },
  });
  const ports = options.wrapPorts?.(timedPorts, clock) ?? timedPorts;
  const provisioning = observeQueue("provisioning", queues.provisioning, ledger);
  const observedQueues = {
    pool: observeQueue("pool", queues.pool, ledger),
    deletion: observeQueue("deletion", queues.deletion, ledger),
    provisioning: {
      ...provisioning,
      async put(...input: Parameters<typeof provisioning.put>) {
        const message = await provisioning.put(...input);
        host.notice();
        return message;
      },
    },
    poison: queues.poison,
  };

  function createGateway(process: SimulatedProcess) {
    const ownClock = {
      now: () => now() + (1 - (process.index % 2)) * skewMilliseconds,
      sleep: async (milliseconds: number) =>
        new Promise<void>((resolve) => ports.deliver(process, milliseconds, resolve)),
    };
    return createMemoryGateway(
      { rows, records, queues: observedQueues, platform: memoryPlatform, clock: ownClock },
      {
        settings: {
          ROOM_HOST_PIN: hostPin,
          POOL_READY_DELAY_SECONDS: String(readyDelaySeconds),
          POOL_LEASE_SECONDS: String(leaseSeconds),
          MAX_VMR: String(level.max),
          POOL_MINIMUM: String(level.min),
          PLATFORM_TIMEOUT_SECONDS: String(platformTimeoutSeconds),
          // So few that claims wait for each other.
          PLATFORM_MAX_CONCURRENCY: "3",
        },
        adapters: { random: options.randomOf?.(process) ?? random, newId },
        around: failStorage(ports, ledger),
        network: () => simulateNetwork(platform, ports, ledger, platformTimeoutSeconds),
        onLog: (line) => ledger.onLog(line, requireTask()),
      },
    );
  }

  const start = (index: number): AppProcess =>
    startProcess({ index, createGateway, ledger, newNumber, now, running, onKilled: () => restart(index) });
  const processes = Array.from({ length: processCount }, (_, index) => start(index));
  function restart(index: number): void {
    processes[index] = start(index);
    host.notice();
  }

  const planOf = (faults: Plan["faults"]): Plan => ({
    faults,
    random: createSeededRandom(random.integerBelow(2 ** 30)),
  });
  const host = createProvisioningHost({
    queue: queues.provisioning,
    clock,
    random,
    processes: () => processes,
    planRun: () => {
      const run = provisioningRuns;
      if (run !== undefined) provisioningRuns = run + 1;
      return planOf(provisioningFaults.filter((fault) => fault.run === run));
    },
  });

  const processOf = (index: number): AppProcess => {
    const process = processes[index];
    if (!process) throw new Error(`there is no process ${index}`);
    return process;
  };

  return {
    clock,
    level,
    readyDelaySeconds,
    rows,
    records,
    processes,
    queues,
    platform,
    ledger,
    outages,
    running,
    newNumber,
    newId,
    process: processOf,
    /** Lets the queue trigger of a process receive one provisioning request and serve it. */
    provisionOne: async (index: number) => host.serveOne(processOf(index)),
    setPolling: host.setPolling,
    planWithoutFaults: () => planOf([]),
    /** Enables the history's faults in provisioning runs, or ends them and every outage. */
    setFaults(areOn: boolean): void {
      provisioningRuns = areOn ? 0 : undefined;
      outages.clear();
    },
  };
}
