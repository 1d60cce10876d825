/** The processes that run the app: each has a gateway of its own, and all share the queues and the platform. */
import { createLog, type Log } from "../../src/lib/log.ts";
import type { RandomSource } from "../../src/lib/ports.ts";
import type { QueueMessage } from "../../src/lib/queue.ts";
import type { createMemoryGateway, MemoryRequest } from "../../tools/simulators/memory/gateway.ts";
import { currentTask, type Fault, type SimulatedProcess, type Task } from "./faults.ts";
import type { FaultAt } from "./history.ts";
import type { Ledger } from "./ledger.ts";

/** How an invocation ended; `died` if its process died, so nobody received a result. */
type Ending<Result> = { readonly result: Result } | { readonly error: unknown } | "died";

export type AppProcess = ReturnType<typeof startProcess>;

/** What code that is not a function of the gateway can use. */
export type ProcessParts = Pick<ReturnType<typeof createMemoryGateway>, "adapters" | "settings"> & {
  readonly log: Log;
};

/** The faults and random choices in one invocation. */
export interface Plan {
  readonly faults: readonly FaultAt[];
  readonly random: RandomSource;
  /** Called with the task before its code runs. */
  readonly onStart?: (task: Task) => void;
}

interface ProcessOptions {
  readonly index: number;
  readonly createGateway: (process: SimulatedProcess) => ReturnType<typeof createMemoryGateway>;
  readonly ledger: Ledger;
  readonly newNumber: () => number;
  readonly now: () => number;
  /** Called once, when the process dies. */
  readonly onKilled: () => void;
  /** Invocations that have not ended. Those of dead processes are removed. */
  readonly running: Set<Task>;
}

/** Starts a process. */
export function startProcess({ index, running, ledger, newNumber, now, ...options }: ProcessOptions) {
  const death = Promise.withResolvers<"died">();
  const base: SimulatedProcess = {
    index,
    isAlive: true,
    frozenUntil: 0,
    kill() {
      if (!base.isAlive) return;
      base.isAlive = false;
      for (const task of running) if (task.process === base) running.delete(task);
      death.resolve("died");
      options.onKilled();
    },
  };
  const gateway = options.createGateway(base);
  async function invoke<Result>(
    functionName: string,
    plan: Plan,
    run: () => Promise<Result>,
  ): Promise<Ending<Result>> {
    const task: Task = {
      id: newNumber(),
      functionName,
      startedAt: now(),
      process: base,
      random: plan.random,
      faults: new Map(
        plan.faults.flatMap(({ call, fault, times }) =>
          Array.from({ length: times }, (_, repeat): [number, Fault] => [call + repeat, fault]),
        ),
      ),
      calls: 0,
      faultsMet: [],
      deletionMessages: new Map(),
      lookUps: new Map(),
      liveChecks: new Map(),
      changeSentAt: 0,
      firstListAt: Number.POSITIVE_INFINITY,
      listed: new Map(),
      hasReceived: false,
      skipped: new Set(),
    };
    running.add(task);
    ledger.onStart(running);
    plan.onStart?.(task);
    const ended = currentTask
      .run(task, run)
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      .finally(() => running.delete(task));
    return Promise.race([ended, death.promise]);
  }

  return Object.assign(base, {
    request: async (functionName: string, request: MemoryRequest, plan: Plan) =>
      invoke(functionName, plan, async () => gateway.call(functionName, request)),
    runTimer: async (functionName: "collectGarbage" | "collectMetrics", plan: Plan) =>
      invoke(functionName, plan, async () => gateway.runTimer(functionName)),
    provision: async (message: QueueMessage, plan: Plan) =>
      invoke("provisionRoom", plan, async () => gateway.provision(message)),
    /** Runs code that is not a function of the gateway, such as an operator's command. */
    run: async <Result>(name: string, plan: Plan, work: (parts: ProcessParts) => Promise<Result>) =>
      invoke(name, plan, async () => work({ ...gateway, log: createLog(gateway.newContext(name)) })),
  });
}
