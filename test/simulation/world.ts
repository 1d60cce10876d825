/** The simulated world: two processes, the queues, the platform, and the virtual time that they share. */

import { createSeededRandom } from "../../local/process/seeded-random.ts";
import type { RandomSource } from "../../src/lib/random.ts";
import type { Adapters } from "../../src/lib/wiring/adapters.ts";
import { createMemoryQueue, type MemoryQueue } from "../support/memory-queue.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { openAccess } from "../support/open-access.ts";
import { type ConferenceTable, createConferenceTable } from "./conference-table.ts";
import { createPorts, type Fault } from "./faults.ts";
import type { History } from "./history.ts";
import { createLedger, isClaim, type Ledger } from "./ledger.ts";
import { type AppProcess, hostPin, type Plan, startProcess } from "./processes.ts";
import { createProvisioningHost } from "./provisioning-host.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { simulatePlatform } from "./simulated-platform.ts";
import { type QueueName, simulateQueue } from "./simulated-queue.ts";
import { simulateRecords } from "./simulated-records.ts";
import type { SimulatedProcess, Task } from "./task.ts";

interface Outage {
  readonly fault: Fault;
  readonly until: number;
}

export interface World {
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly queues: Readonly<Record<QueueName, MemoryQueue>>;
  readonly table: ConferenceTable;
  readonly ledger: Ledger;
  readonly outages: Map<"platform" | "storage", Outage>;
  readonly running: ReadonlySet<Task>;
  readonly newId: () => string;
  /** The maximum number of concurrent creates or provisioning runs. */
  readonly peakOf: (kind: "create" | "provision") => number;
  process(index: number): AppProcess;
  /** Returns a plan without faults. */
  planWithoutFaults(): Plan;
  /** Enables the history's faults in provisioning runs, or ends them and every outage. */
  setFaults(areOn: boolean): void;
}

/** Part of every service tag here. It must not be logged. */
export const tagHost = "verification.example.com";

export function createWorld({ seed, provisioningFaults }: History, trace?: (line: string) => void): World {
  const random = createSeededRandom(seed);
  const scheduler = createScheduler(createSeededRandom(seed + 1));
  const { now } = scheduler;
  let lastId = 0;
  const newId = () => `id-${(lastId += 1)}`;
  const memory = () => createMemoryQueue(scheduler, newId);
  const records = createMemoryRecordStore();
  const queues = { pool: memory(), deletion: memory(), provisioning: memory(), poison: memory() };
  const table = createConferenceTable(now);
  const ledger = createLedger(table, now, [hostPin, tagHost]);
  const outages: World["outages"] = new Map();
  const running = new Set<Task>();
  const peaks = { create: 0, provision: 0 };
  let provisioningRuns: number | undefined;

  const ports = createPorts({
    scheduler,
    trace,
    outageFault: (target, task) => {
      const outage = outages.get(target);
      return outage && outage.until > now() && task.random.integerBelow(4) > 0 ? outage.fault : undefined;
    },
  });

  const simulated = (name: QueueName) => simulateQueue(name, queues[name], ports, ledger);
  const simulatedRecords = simulateRecords(records, ports);
  function adaptersOf(process: SimulatedProcess): Adapters {
    return {
      createRecords: simulatedRecords,
      queues: {
        pool: simulated("pool"),
        deletion: simulated("deletion"),
        provisioning: watchProvisioning(),
        poison: simulated("poison"),
      },
      platformClient: simulatePlatform(table, ports, ledger, scheduler),
      accessChecks: openAccess,
      metricsSink: async (row) =>
        ports.call({
          label: () => "metrics row",
          target: "storage",
          timeoutSeconds: 10,
          effect: () => void ledger.metricsRows.push(row),
          failure: () => new Error("no response from the log workspace"),
        }),
      clock: {
        now,
        sleep: async (milliseconds) =>
          new Promise((resolve) => ports.deliver(process, milliseconds, resolve)),
      },
      random,
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
  const processes = [0, 1].map(start);
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
    return startProcess({ adaptersOf, newTaskId, now, ledger, running, onKilled, onStart });
  }

  const planOf = (faults: Plan["faults"]): Plan => ({
    faults,
    random: createSeededRandom(random.integerBelow(2 ** 30)),
  });
  const host = createProvisioningHost({
    queue: queues.provisioning,
    scheduler,
    random,
    processes: () => processes,
    planRun: () => {
      const run = provisioningRuns;
      if (run !== undefined) provisioningRuns = run + 1;
      return planOf(provisioningFaults.filter((fault) => fault.run === run));
    },
  });

  return {
    scheduler,
    random,
    queues,
    table,
    ledger,
    outages,
    running,
    newId,
    peakOf: (kind) => peaks[kind],
    process(index) {
      const process = processes[index];
      if (!process) throw new Error(`there is no process ${index}`);
      return process;
    },
    planWithoutFaults: () => planOf([]),
    setFaults(areOn) {
      provisioningRuns = areOn ? 0 : undefined;
      outages.clear();
    },
  };
}
