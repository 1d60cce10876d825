/** What can go wrong with one call to a port, and how the call then goes. */
import type { Scheduler } from "./scheduler.ts";
import { requireTask, type SimulatedProcess, type Task } from "./task.ts";

/**
 * `not-sent`, `refused`, `throttled`, `lost-before`: an error, and nothing was done. `lost-after`, `odd-answer`: it was
 * done, and the answer is an error or nonsense. `late`: a time-out, and it is done afterwards. `crash-…`: the process
 * dies before or after. `freeze`: the process sleeps for longer than a lease before it sees the answer.
 */
export const faults = [
  "not-sent",
  "refused",
  "throttled",
  "lost-before",
  "lost-after",
  "late",
  "odd-answer",
  "crash-before",
  "crash-after",
  "freeze",
] as const;
export type Fault = (typeof faults)[number];

export interface PortCall<Result> {
  /** What is called, for traces. */
  readonly label: () => string;
  readonly target: "platform" | "storage";
  readonly timeoutSeconds: number;
  readonly effect: (task: Task) => Result | Promise<Result>;
  readonly failure: (fault: Fault, isTimeout: boolean, task: Task) => Error;
  /** What an answer looks like that is not what was agreed; by default the answer is lost instead. */
  readonly oddAnswer?: Result;
}

export interface Ports {
  call<Result>(call: PortCall<Result>): Promise<Result>;
  /** Settles after so many milliseconds, unless the process has died by then. */
  deliver(process: SimulatedProcess, milliseconds: number, settle: () => void): void;
}

export interface PortsOptions {
  readonly scheduler: Scheduler;
  /** The fault that lies on every call to a target at this moment. */
  readonly weather: (target: "platform" | "storage", task: Task) => Fault | undefined;
  readonly trace: ((line: string) => void) | undefined;
}

const maxDelayMilliseconds = 60;
const landing = { withinLease: 60_000, afterLease: 900_000 };
const freezeMilliseconds = { shortest: 320_000, spread: 600_000 };

export function createPorts({ scheduler, weather, trace }: PortsOptions): Ports {
  function deliver(process: SimulatedProcess, milliseconds: number, settle: () => void): void {
    scheduler.after(milliseconds, () => {
      if (!process.isAlive) return;
      const asleep = process.frozenUntil - scheduler.now();
      if (asleep > 0) deliver(process, asleep, settle);
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
      scheduler.after(timeout + random.integerBelow(landing.withinLease), apply);
      return;
    }
    // So late that the lease is over: what the gateway promises then, it promises while nothing else goes wrong.
    scheduler.after(landing.withinLease + random.integerBelow(landing.afterLease), () => {
      if (task.faultsMet.length === 1 && process.isAlive && process.frozenUntil === 0) apply();
    });
  }

  async function call<Result>(request: PortCall<Result>): Promise<Result> {
    const task = requireTask();
    const { process, random } = task;
    const fault = task.faults.get(task.calls) ?? weather(request.target, task);
    const at = new Date(scheduler.now()).toISOString().slice(8, 23);
    trace?.(`${at} #${task.id} ${task.functionName} call ${task.calls}: ${request.label()} ${fault ?? ""}`);
    task.calls += 1;
    if (fault) task.faultsMet.push(fault);
    const there = 1 + random.integerBelow(maxDelayMilliseconds);
    const answered = there + 1 + random.integerBelow(maxDelayMilliseconds);
    const timeout = request.timeoutSeconds * 1000;
    return new Promise((resolve, reject) => {
      const outcome = Promise.withResolvers<Result>();
      outcome.promise.catch(() => undefined);
      const apply = () => outcome.resolve(Promise.resolve().then(() => request.effect(task)));
      const succeed = (result?: Result) => {
        deliver(process, answered, () => resolve(result ?? outcome.promise));
      };
      const fail = (cause: Fault, milliseconds: number) =>
        deliver(process, milliseconds, () => reject(request.failure(cause, milliseconds === timeout, task)));
      const isSlow = random.integerBelow(2) === 0;
      switch (fault) {
        case undefined:
          scheduler.after(there, apply);
          return succeed();
        case "not-sent":
        case "refused":
        case "throttled":
          return fail(fault, answered);
        case "lost-before":
          return fail(fault, isSlow ? timeout : answered);
        case "lost-after":
          scheduler.after(there, apply);
          return fail(fault, isSlow ? timeout : answered);
        case "late":
          landLate(task, timeout, request.target, apply);
          return fail(fault, timeout);
        case "odd-answer":
          scheduler.after(there, apply);
          return request.oddAnswer === undefined ? fail("lost-after", answered) : succeed(request.oddAnswer);
        case "crash-before":
          return scheduler.after(there, process.kill);
        case "crash-after":
          scheduler.after(there, apply);
          return scheduler.after(answered, process.kill);
        case "freeze":
          scheduler.after(there, () => {
            apply();
            const { shortest, spread } = freezeMilliseconds;
            process.frozenUntil = scheduler.now() + shortest + random.integerBelow(spread);
          });
          return succeed();
      }
    });
  }

  return { call, deliver };
}
