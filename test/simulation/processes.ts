/** The processes that run the app: each has its own dependencies, and all share the queues and the platform. */

import { type HttpRequest, HttpResponse, InvocationContext } from "@azure/functions";
import type { Adapters } from "../../src/lib/dependencies.ts";
import { createDependencies } from "../../src/lib/dependencies.ts";
import { createLog, type Log } from "../../src/lib/log.ts";
import type { RandomSource } from "../../src/lib/ports.ts";
import { loadSettings, type Settings } from "../../src/lib/settings/settings.ts";
import { aTimer, registerFunctions } from "../../tools/simulators/memory/functions.ts";
import { memorySettings } from "../../tools/simulators/memory/gateway.ts";
import type { Fault } from "./faults.ts";
import { currentTask, type SimulatedProcess, type Task } from "./faults.ts";
import type { FaultAt } from "./history.ts";
import type { Ledger } from "./ledger.ts";

/** How an invocation ended; `died` if its process died, so nobody received a result. */
type Ending<Result> = { readonly result: Result } | { readonly error: unknown } | "died";

export type AppProcess = ReturnType<typeof startProcess>;

/** What code that is not a function of the gateway can use. */
export interface ProcessParts {
  readonly adapters: Adapters;
  readonly settings: Settings;
  readonly log: Log;
}

/** The faults and random choices in one invocation. */
export interface Plan {
  readonly faults: readonly FaultAt[];
  readonly random: RandomSource;
  /** Called with the task before its code runs. */
  readonly onStart?: (task: Task) => void;
}

/** How many rooms the pool is to hold. */
export interface PoolLevel {
  readonly max: number;
  readonly min: number;
}

export interface ProcessOptions {
  readonly index: number;
  readonly level: PoolLevel;
  readonly platformTimeoutSeconds: number;
  readonly adaptersOf: (process: SimulatedProcess) => Adapters;
  readonly newTaskId: () => number;
  readonly now: () => number;
  readonly ledger: Ledger;
  readonly onKilled: () => void;
  /** Called after an invocation was added to `running`. */
  readonly onStart: () => void;
  /** Invocations that have not ended. Those of dead processes are removed. */
  readonly running: Set<Task>;
}

export const hostPin = "902817364519";
export const defaultLevel: PoolLevel = { max: 6, min: 2 };

const settings = loadSettings({
  ...memorySettings,
  ROOM_HOST_PIN: hostPin,
  POOL_READY_DELAY_SECONDS: "90",
});

/** Starts a process. `onKilled` is called once, when it dies. */
export function startProcess(options: ProcessOptions) {
  const { ledger, running } = options;
  const death = Promise.withResolvers<"died">();
  const base: SimulatedProcess = {
    index: options.index,
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
  const { max: maxRooms, min: minRooms } = options.level;
  const pool = { ...settings.pool, maxRooms, minRooms };
  const platform = { ...settings.platform, timeoutSeconds: options.platformTimeoutSeconds };
  const adapters = options.adaptersOf(base);
  const ownSettings = { ...settings, pool, platform };
  const handlers = registerFunctions(createDependencies(ownSettings, adapters));

  async function invoke<Result>(
    functionName: string,
    plan: Plan,
    triggerMetadata: Record<string, number>,
    run: (context: InvocationContext) => Result | Promise<Result>,
  ): Promise<Ending<Result>> {
    const task: Task = {
      id: options.newTaskId(),
      functionName,
      startedAt: options.now(),
      process: base,
      random: plan.random,
      faults: new Map(
        plan.faults.flatMap(({ call, fault, times }) =>
          Array.from({ length: times }, (_, index): [number, Fault] => [call + index, fault]),
        ),
      ),
      calls: 0,
      faultsMet: [],
      deletionMessages: new Map(),
      lookUps: new Map(),
      liveChecks: new Map(),
      firstListAt: Number.POSITIVE_INFINITY,
      listed: new Map(),
      hasReceived: false,
      skipped: new Set(),
    };
    const context = new InvocationContext({
      functionName,
      invocationId: `invocation-${task.id}`,
      triggerMetadata,
      logHandler: (_level, ...lines) => ledger.onLog(String(lines[0]), task),
    });
    running.add(task);
    options.onStart();
    plan.onStart?.(task);
    const ended = currentTask
      .run(task, async () => run(context))
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      .finally(() => running.delete(task));
    return Promise.race([ended, death.promise]);
  }

  return Object.assign(base, {
    request: async (functionName: string, request: HttpRequest, plan: Plan) =>
      invoke(functionName, plan, {}, async (context) => {
        const handler = handlers.http.get(functionName);
        if (!handler) throw new Error(`there is no function ${functionName}`);
        const response = await handler(request, context);
        if (!response || response instanceof HttpResponse)
          throw new Error("the handler must return a plain object");
        return response;
      }),
    runTimer: async (functionName: string, plan: Plan) =>
      invoke(functionName, plan, {}, async (context) => {
        await handlers.timers.get(functionName)?.(aTimer, context);
      }),
    handleMessage: async (functionName: string, text: string, dequeueCount: number, plan: Plan) =>
      invoke(functionName, plan, { dequeueCount }, async (context) => {
        await handlers.queues.get(functionName)?.(JSON.parse(text), context);
      }),
    /** Runs code that is not a function of the gateway, such as an operator's command. */
    run: async <Result>(name: string, plan: Plan, work: (parts: ProcessParts) => Promise<Result>) =>
      invoke(name, plan, {}, async (context) =>
        work({ adapters, settings: ownSettings, log: createLog(context) }),
      ),
  });
}
