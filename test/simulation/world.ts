/** The simulated world: two processes, the queues, the platform, and the virtual time that they share. */

import type { Adapters } from "../../src/lib/dependencies.ts";
import type { Clock, RandomSource } from "../../src/lib/ports.ts";
import { createVirtualClock, type VirtualClock } from "../../tools/simulators/memory/clock.ts";
import { openAccess } from "../../tools/simulators/memory/open-access.ts";
import { createMemoryQueue, type MemoryQueue } from "../../tools/simulators/memory/queue.ts";
import { createMemoryRecordStore } from "../../tools/simulators/memory/record-store.ts";
import { createSeededRandom } from "../../tools/simulators/process/seeded-random.ts";
import type { SimulatedProcess, Task } from "./faults.ts";
import { createPorts, type Fault, type Ports } from "./faults.ts";
import type { History } from "./history.ts";
import { createLedger, isClaim } from "./ledger.ts";
import {
  type AppProcess,
  defaultLevel,
  hostPin,
  type Plan,
  type PoolLevel,
  startProcess,
} from "./processes.ts";
import { createProvisioningHost } from "./provisioning-host.ts";
import { createSimulatedClient, createSimulatedPlatform } from "./simulated-platform.ts";
import { type QueueName, simulateQueue, simulateRecords } from "./simulated-storage.ts";

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

export function createWorld(
  { seed, provisioningFaults, skewMilliseconds = 0 }: Omit<History, "steps">,
  options: WorldOptions = {},
) {
  const {
    trace,
    level = defaultLevel,
    processCount = 2,
    platformTimeoutSeconds = 10,
    wrapPorts,
    randomOf,
  } = options;
  const random = createSeededRandom(seed);
  const clock = createVirtualClock(createSeededRandom(seed + 1));
  const now = () => clock.now();
  let lastId = 0;
  const newId = () => `id-${(lastId += 1)}`;
  const memory = () => createMemoryQueue(clock, newId);
  const records = createMemoryRecordStore();
  const queues = { pool: memory(), deletion: memory(), provisioning: memory(), poison: memory() };
  const platform = createSimulatedPlatform(now);
  const ledger = createLedger({
    platform,
    poolTexts: () => queues.pool.texts(),
    now,
    skewMilliseconds: Math.abs(skewMilliseconds),
    secrets: [hostPin, tagHost],
  });
  const outages = new Map<"platform" | "storage", Outage>();
  const running = new Set<Task>();
  const peaks = { create: 0, provision: 0 };
  let provisioningRuns: number | undefined;

  const timedPorts = createPorts({
    clock,
    trace,
    outageFault: (target, task) => {
      const outage = outages.get(target);
      return outage && outage.until > now() && task.random.integerBelow(4) > 0 ? outage.fault : undefined;
    },
  });
  const ports = wrapPorts?.(timedPorts, clock) ?? timedPorts;

  const simulated = (name: QueueName) => simulateQueue(name, queues[name], ports, ledger);
  const simulatedRecords = simulateRecords(records, ports);
  function adaptersOf(process: SimulatedProcess): Adapters {
    const clock: Clock = {
      now: () => now() + (1 - (process.index % 2)) * skewMilliseconds,
      sleep: async (milliseconds) => new Promise((resolve) => ports.deliver(process, milliseconds, resolve)),
    };
    const ownRandom = randomOf?.(process) ?? random;
    return {
      createRecords: simulatedRecords,
      queues: {
        pool: simulated("pool"),
        deletion: simulated("deletion"),
        provisioning: watchProvisioning(),
        poison: simulated("poison"),
      },
      platformClient: createSimulatedClient({
        platform,
        ports,
        ledger,
        clock,
        random: ownRandom,
        timeoutSeconds: platformTimeoutSeconds,
      }),
      accessChecks: openAccess,
      metricsSink: async (row) =>
        ports.call({
          label: () => "metrics row",
          target: "storage",
          timeoutSeconds: 10,
          effect: () => void ledger.metricsRows.push(row),
          failure: () => new Error("no response from the log workspace"),
        }),
      clock,
      random: ownRandom,
      newId,
    };
  }

  function watchProvisioning() {
    const watched = {
      ...queues.provisioning,
      put: async (...input: Parameters<MemoryQueue["put"]>) => {
        const message = await queues.provisioning.put(...input);
        host.notice();
        return message;
      },
    };
    return simulateQueue("provisioning", watched, ports, ledger);
  }

  let lastTaskId = 0;
  const newTaskId = () => (lastTaskId += 1);
  const processes = Array.from({ length: processCount }, (_, index) => start(index));
  function start(index: number): AppProcess {
    const onKilled = () => {
      processes[index] = start(index);
      host.notice();
    };
    const onStart = () => {
      const tasks = [...running];
      peaks.create = Math.max(peaks.create, tasks.filter(isClaim).length);
      const provisions = tasks.filter(({ functionName }) => functionName === "provisionRoom");
      peaks.provision = Math.max(peaks.provision, provisions.length);
    };
    return startProcess({
      platformTimeoutSeconds,
      index,
      level,
      adaptersOf,
      newTaskId,
      now,
      ledger,
      running,
      onKilled,
      onStart,
    });
  }

  let isPolling = true;
  const planOf = (faults: Plan["faults"]): Plan => ({
    faults,
    random: createSeededRandom(random.integerBelow(2 ** 30)),
  });
  const host = createProvisioningHost({
    queue: queues.provisioning,
    clock,
    random,
    processes: () => processes,
    polls: () => isPolling,
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
    records,
    processes,
    queues,
    platform,
    ledger,
    outages,
    running,
    newId,
    /** Returns the maximum number of concurrent creates or provisioning runs. */
    peakOf: (kind: keyof typeof peaks) => peaks[kind],
    process: processOf,
    /** Lets the queue trigger of a process receive one provisioning request and serve it. */
    provisionOne: async (index: number) => host.serveOne(processOf(index)),
    /** Stops the queue trigger's polling, or starts it again. */
    setPolling(isOn: boolean): void {
      isPolling = isOn;
      host.notice();
    },
    planWithoutFaults: () => planOf([]),
    /** Enables the history's faults in provisioning runs, or ends them and every outage. */
    setFaults(areOn: boolean): void {
      provisioningRuns = areOn ? 0 : undefined;
      outages.clear();
    },
  };
}
