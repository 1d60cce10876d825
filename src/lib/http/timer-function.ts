/** Timer functions: a schedule and the work that runs on it. */
import type { TimerHandler } from "@azure/functions";
import { createLog } from "../invocation-log.ts";
import type { Log } from "../log.ts";
import { runLogged } from "./run-logged.ts";

/** A schedule and the work that runs on it. */
export interface TimerFunction<Dependencies> {
  /** NCRONTAB with seconds, in UTC. */
  readonly schedule: string;
  /** Whether the function also runs when the app starts. Defaults to false. */
  readonly runOnStartup?: boolean;
  readonly run: (dependencies: Dependencies, log: Log) => Promise<void>;
}

/** The part of the `app` object of `@azure/functions` that registers timers. */
export interface TimerApp {
  timer(
    name: string,
    options: { readonly schedule: string; readonly runOnStartup: boolean; readonly handler: TimerHandler },
  ): void;
}

/** Returns `definition` unchanged, with its dependencies inferred from the parameters of `run`. */
export function timerFunction<Dependencies>(
  definition: TimerFunction<Dependencies>,
): TimerFunction<Dependencies> {
  return definition;
}

/** Registers each timer function under its key. The handlers log and rethrow any error. */
export function registerTimerFunctions<Dependencies>(
  app: TimerApp,
  dependencies: Dependencies,
  functions: Readonly<Record<string, TimerFunction<Dependencies>>>,
): void {
  for (const [name, { schedule, runOnStartup = false, run }] of Object.entries(functions)) {
    app.timer(name, {
      schedule,
      runOnStartup,
      handler: async (_timer, context) =>
        runLogged(createLog(context, { caller: "timer" }), async (log) => run(dependencies, log)),
    });
  }
}
