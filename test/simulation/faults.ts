/** The invocations of a history, and the faults that their calls to a port can meet. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { RandomSource } from "../../src/lib/ports.ts";
import type { VirtualClock } from "../../tools/simulators/memory/clock.ts";

/** A process that runs invocations. After its death none of them receives a response. */
export interface SimulatedProcess {
  readonly index: number;
  isAlive: boolean;
  /** Scheduler milliseconds: no response arrives before this time. */
  frozenUntil: number;
  readonly kill: () => void;
}

interface DeletionMessage {
  readonly insertedAt: number;
  readonly claimId: string | undefined;
}

export interface Task {
  readonly id: number;
  readonly functionName: string;
  /** Scheduler milliseconds. */
  readonly startedAt: number;
  readonly process: SimulatedProcess;
  readonly random: RandomSource;
  /** Faults by the number of the port call within this invocation. */
  readonly faults: ReadonlyMap<number, Fault>;
  calls: number;
  readonly faultsMet: Fault[];
  /** The deletion messages received for each room, with the clock milliseconds at which they were inserted. */
  readonly deletionMessages: Map<string, readonly DeletionMessage[]>;
  /** When each room was last looked up by its name. */
  readonly lookUps: Map<string, number>;
  /** When the status API was last queried for each room, or how that failed. */
  readonly liveChecks: Map<string, number | "refused" | "unavailable">;
  /** When it last sent a change of a room. */
  changeSentAt: number;
  /** When its first list of all conferences was requested. */
  firstListAt: number;
  /** The descriptions of the rooms that it listed before it received from the pool. */
  readonly listed: Map<string, string>;
  /** Whether it has received from the pool. */
  hasReceived: boolean;
  /** The rooms whose messages it has kept from a deletion for a reason that it logged, as the log names them. */
  readonly skipped: Set<string>;
}

/** The invocation whose code is running. */
export const currentTask = new AsyncLocalStorage<Task>();

/** Returns the invocation whose code is running. Throws an error outside of an invocation. */
export function requireTask(): Task {
  const task = currentTask.getStore();
  if (!task) throw new Error("a port was called outside of an invocation");
  return task;
}

/**
 * `not-sent`, `refused`, `throttled`, `lost-before`: the call fails without effect. `lost-after`: it takes
 * effect, but the caller gets an error. `late`: it times out and takes effect afterwards.
 * `crash-…`: the process dies before or after the effect. `freeze`: the process is suspended for longer than a lease
 * before it reads the response.
 */
export const faults = [
  "not-sent",
  "refused",
  "throttled",
  "lost-before",
  "lost-after",
  "late",
  "crash-before",
  "crash-after",
  "freeze",
] as const;
export type Fault = (typeof faults)[number];

/** The faults in which a call does not take effect when it arrives. */
const withoutEffect = new Set<Fault>([
  "not-sent",
  "refused",
  "throttled",
  "lost-before",
  "late",
  "crash-before",
]);

export interface PortCall<Result> {
  /** The name of the call in traces. */
  readonly label: () => string;
  readonly target: "platform" | "storage";
  readonly timeoutSeconds: number;
  readonly effect: () => Promise<Result>;
  readonly failure: (fault: Fault, isTimeout: boolean, task: Task) => Error;
}

export interface Ports {
  call<Result>(call: PortCall<Result>): Promise<Result>;
  /** Calls `settle` after this time, unless the process has died by then. */
  deliver(process: SimulatedProcess, milliseconds: number, settle: () => void): void;
}

export interface PortsOptions {
  readonly clock: VirtualClock;
  /** The fault that an outage currently causes in calls to a target. */
  readonly outageFault: (target: "platform" | "storage", task: Task) => Fault | undefined;
  readonly trace: ((line: string) => void) | undefined;
}

const maxDelayMilliseconds = 60;
const landing = { withinLease: 60_000, afterLease: 900_000 };
const freezeMilliseconds = { min: 320_000, spread: 600_000 };

export function createPorts({ clock, outageFault, trace }: PortsOptions): Ports {
  function deliver(process: SimulatedProcess, milliseconds: number, settle: () => void): void {
    clock.after(milliseconds, () => {
      if (!process.isAlive) return;
      const remaining = process.frozenUntil - clock.now();
      if (remaining > 0) deliver(process, remaining, settle);
      else settle();
    });
  }

  function landLate(
    task: Task,
    timeout: number,
    target: PortCall<unknown>["target"],
    apply: () => void,
  ): void {
    const { random, process } = task;
    if (target === "storage" || random.integerBelow(2) === 0) {
      clock.after(timeout + random.integerBelow(landing.withinLease), apply);
      return;
    }
    // After the end of the lease: in that case the promises hold if nothing else goes wrong.
    clock.after(landing.withinLease + random.integerBelow(landing.afterLease), () => {
      if (task.faultsMet.length === 1 && process.isAlive && process.frozenUntil === 0) apply();
    });
  }

  async function call<Result>(request: PortCall<Result>): Promise<Result> {
    const task = requireTask();
    const { process, random } = task;
    const fault = task.faults.get(task.calls) ?? outageFault(request.target, task);
    const at = new Date(clock.now()).toISOString().slice(8, 23);
    trace?.(`${at} #${task.id} ${task.functionName} call ${task.calls}: ${request.label()} ${fault ?? ""}`);
    task.calls += 1;
    if (fault) task.faultsMet.push(fault);
    const arrival = 1 + random.integerBelow(maxDelayMilliseconds);
    const response = arrival + 1 + random.integerBelow(maxDelayMilliseconds);
    const timeout = request.timeoutSeconds * 1000;
    return new Promise((resolve, reject) => {
      const outcome = Promise.withResolvers<Result>();
      outcome.promise.catch(() => undefined);
      const apply = () => outcome.resolve(currentTask.run(task, request.effect));
      const succeed = () => deliver(process, response, () => resolve(outcome.promise));
      const fail = (cause: Fault, milliseconds: number) =>
        deliver(process, milliseconds, () => reject(request.failure(cause, milliseconds === timeout, task)));
      const isSlow = random.integerBelow(2) === 0;
      if (!fault || !withoutEffect.has(fault)) clock.after(arrival, apply);
      switch (fault) {
        case undefined:
          return succeed();
        case "freeze":
          clock.after(arrival, () => {
            const { min, spread } = freezeMilliseconds;
            process.frozenUntil = clock.now() + min + random.integerBelow(spread);
          });
          return succeed();
        case "crash-before":
          return void clock.after(arrival, process.kill);
        case "crash-after":
          return void clock.after(response, process.kill);
        case "late":
          landLate(task, timeout, request.target, apply);
          return fail(fault, timeout);
        case "lost-before":
        case "lost-after":
          return fail(fault, isSlow ? timeout : response);
        default:
          return fail(fault, response);
      }
    });
  }

  return { call, deliver };
}
