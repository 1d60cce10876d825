/** Ports whose calls wait until the exploration chooses the next one and its outcome. */

import type { VirtualClock } from "../../../tools/simulators/memory/clock.ts";
import type { Fault, PortCall, Ports } from "../faults.ts";
import { currentTask, requireTask, type SimulatedProcess, type Task } from "../faults.ts";

/** A possible next step. Nothing else happens until one of these is carried out. */
export interface Transition {
  readonly label: string;
  /** The number of faults that it uses up. */
  readonly faults: 0 | 1;
  run(): void | Promise<void>;
}

/** What may still happen in this history. */
interface Budget {
  readonly faults: number;
  readonly lapses: number;
}

export type ExploringPorts = ReturnType<typeof createExploringPorts>;

/** A fault, or whether the call takes effect. */
interface Outcome {
  readonly what: Fault | "takes effect" | "never arrives";
  readonly isTimeout: boolean;
}

interface PendingCall {
  readonly task: Task;
  readonly label: string;
  readonly target: PortCall<unknown>["target"];
  /** The failure of the call that this one retries: it can happen again as part of the same fault. */
  readonly repeated: Outcome | undefined;
  carryOut(outcome: Outcome): void;
}

interface Pause {
  readonly process: SimulatedProcess;
  readonly at: number;
  wake(): void;
}

const outcome = (what: Outcome["what"], isTimeout = false): Outcome => ({ what, isTimeout });
const takesEffect = outcome("takes effect");
const neverArrives = outcome("never arrives");
// A queue or blob call that fails gives its caller the same error whatever the reason.
const failures: Readonly<Record<PendingCall["target"], readonly Outcome[]>> = {
  storage: [outcome("lost-before"), outcome("lost-after")],
  platform: [
    outcome("not-sent"),
    outcome("throttled"),
    outcome("lost-before"),
    outcome("lost-after"),
    outcome("lost-before", true),
    outcome("lost-after", true),
  ],
};

const readPattern = /^(GET |\w+ (count|peek)$|records read )/;

export function createExploringPorts(timed: Ports, clock: VirtualClock) {
  let isExploring = false;
  let calls: PendingCall[] = [];
  let pauses: Pause[] = [];
  let held: { readonly process: SimulatedProcess; readonly text: string; deliver(): void }[] = [];
  let mayThaw = new Set<SimulatedProcess>();
  const frozen = new Set<SimulatedProcess>();
  /** What each invocation has observed, which determines what it does next. */
  const observed = new WeakMap<Task, string[]>();
  const lastFailure = new WeakMap<Task, { readonly label: string; readonly outcome: Outcome }>();

  function respond({ task, label, repeated }: PendingCall, result: string, settle: () => void): void {
    const { process } = task;
    const text = `${label}: ${result}`;
    const isSuccess = !result.startsWith("failed");
    if (!process.isAlive) return;
    const deliver = () => {
      // Only bulk delete compares times that are less than a second apart, namely that of this call.
      const unit = task.functionName === "bulkDeleteRooms" && text.startsWith("pool clear") ? 1 : 1000;
      const at = Math.round(clock.now() / unit) * unit;
      const before = observed.get(task) ?? [];
      // A retry that succeeds leaves no trace of the failures before it.
      const known =
        repeated && isSuccess ? before.filter((other) => !other.startsWith(`${label}: failed`)) : before;
      observed.set(task, [...known, `${text} ${at}`]);
      settle();
    };
    if (frozen.has(process)) held.push({ process, text, deliver });
    else deliver();
  }

  async function call<Result>(request: PortCall<Result>): Promise<Result> {
    if (!isExploring) return timed.call(request);
    const task = requireTask();
    task.calls += 1;
    const label = request.label();
    const last = lastFailure.get(task);
    const repeated = last?.label === label ? last.outcome : undefined;
    lastFailure.delete(task);
    return new Promise((resolve, reject) => {
      const pending: PendingCall = { task, label, target: request.target, repeated, carryOut };
      calls.push(pending);

      async function effect(): Promise<Result> {
        return currentTask.run(task, request.effect);
      }

      function carryOut(chosen: Outcome): void {
        calls = calls.filter((other) => other !== pending);
        const { process } = task;
        const { what, isTimeout } = chosen;
        if (what === "never arrives") return;
        if (what !== "takes effect") task.faultsMet.push(what);
        if (what === "takes effect" || what === "freeze") {
          if (what === "freeze") {
            process.frozenUntil = clock.now();
            frozen.add(process);
          }
          void effect().then(
            (result) => respond(pending, stringify(result), () => resolve(result)),
            (error: unknown) => respond(pending, `failed ${String(error)}`, () => reject(error)),
          );
          return;
        }
        if (what === "crash-after" || what === "lost-after") void effect().catch(() => undefined);
        if (what === "crash-before" || what === "crash-after") return process.kill();
        if (isTimeout) clock.elapse(request.timeoutSeconds * 1000);
        lastFailure.set(task, { label, outcome: chosen });
        const error = request.failure(what, isTimeout, task);
        respond(pending, `failed ${what} ${isTimeout}`, () => reject(error));
      }
    });
  }

  function outcomesOf({ task, target, repeated, label }: PendingCall, budget: Budget): Outcome[] {
    // The order does not matter if the call changes nothing.
    const isRead = readPattern.test(label);
    // A dead process's last calls are on their way: each arrives or is lost.
    if (!task.process.isAlive) return [takesEffect, neverArrives];
    if (frozen.has(task.process)) return [takesEffect];
    const retried = repeated ? [takesEffect, repeated] : [takesEffect];
    if (budget.faults === 0) return retried;
    return [
      ...retried,
      ...failures[target].filter(
        (failure) => failure !== repeated && !(isRead && failure.what === "lost-after"),
      ),
      outcome("crash-before"),
      ...(isRead ? [] : [outcome("crash-after")]),
      ...(budget.lapses > 0 ? [outcome("freeze")] : []),
    ];
  }

  function callTransitions(budget: Budget): Transition[] {
    return calls.flatMap((pending) =>
      outcomesOf(pending, budget).map((chosen) => {
        const { task, label, repeated } = pending;
        const isFree = chosen === takesEffect || chosen === repeated || !task.process.isAlive;
        return {
          label: `${nameOf(task)}: ${label} ${describe(chosen)}`.trimEnd(),
          faults: isFree ? 0 : 1,
          run: () => pending.carryOut(chosen),
        };
      }),
    );
  }

  function endOf(pause: Pause): Transition {
    return {
      label: `process ${pause.process.index} ends its pause`,
      faults: 0,
      run() {
        pauses = pauses.filter((other) => other !== pause);
        clock.elapse(Math.max(0, pause.at - clock.now()));
        pause.wake();
      },
    };
  }

  function thawOf(process: SimulatedProcess): Transition {
    return {
      label: `process ${process.index} continues`,
      faults: 0,
      run() {
        mayThaw.delete(process);
        frozen.delete(process);
        const due = held.filter((response) => response.process === process);
        held = held.filter((response) => response.process !== process);
        for (const response of due) response.deliver();
      },
    };
  }

  const ports: Ports = {
    call,
    deliver(process, milliseconds, settle) {
      if (!isExploring) return timed.deliver(process, milliseconds, settle);
      const pause = { process, at: clock.now() + milliseconds, wake: settle };
      pauses.push(pause);
    },
  };

  return {
    ...ports,
    /** Returns what pending calls, pauses and frozen processes can do next. */
    transitions(budget: Budget): readonly Transition[] {
      // The end of a pause only sends the next call, which can wait arbitrarily long, so nothing else need come first.
      const [pause] = awake();
      return pause ? [endOf(pause)] : [...callTransitions(budget), ...[...mayThaw].map(thawOf)];
    },
    /** Whether a call or a pause is pending, so that hours cannot pass now. */
    isBusy: () => calls.length > 0 || awake().length > 0,
    isFrozen: () => frozen.size > 0,
    /** Must be called when a lease's time has passed: frozen processes may then continue. */
    onLapse(): void {
      mayThaw = new Set(frozen);
    },
    /** Lets later calls wait for a choice, or take their virtual time. */
    setExploring(isOn: boolean): void {
      isExploring = isOn;
    },
    /** Returns what distinguishes two states of the running invocations. */
    state: (running: ReadonlySet<Task>): unknown => [
      [...running].map((task) => [nameOf(task), observed.get(task), lastFailure.get(task)]),
      calls.map(({ task, label, repeated }) => [nameOf(task), task.process.isAlive, label, repeated]),
      pauses.filter(({ process }) => process.isAlive).map(({ process, at }) => [process.index, at]),
      [...frozen].map(({ index }) => index),
      [...mayThaw].map(({ index }) => index),
      held.map(({ process, text }) => [process.index, text]),
    ],
  };

  function awake(): Pause[] {
    return pauses.filter(({ process }) => process.isAlive && !frozen.has(process));
  }
}

function nameOf({ process, functionName }: Task): string {
  return `process ${process.index} ${functionName}`;
}

function describe({ what, isTimeout }: Outcome): string {
  if (what === "takes effect") return "";
  return `(${what}${isTimeout ? ", times out" : ""})`;
}

/** Ages are differences to the clock, so they are compared in whole seconds. */
function stringify(result: unknown): string {
  return (
    JSON.stringify(result, (key, value: unknown) =>
      key === "ageSeconds" ? Math.round(Number(value)) : value,
    ) ?? ""
  );
}
