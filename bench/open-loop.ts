/** Open-loop load: requests start at random times of a fixed mean rate, whether or not earlier ones were answered. */
import { setTimeout as wait } from "node:timers/promises";

export interface OpenLoopOptions {
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly task: () => Promise<void>;
}

export interface OpenLoopTimes {
  /** Milliseconds of each task that succeeded. */
  readonly times: readonly number[];
  /** How many tasks failed, by the message of their error. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * Runs Poisson arrivals. Times count from the moment a task was due: a driver or a server that falls behind is part of
 * the figure (no coordinated omission).
 */
export async function runOpenLoop({ ratePerSecond, seconds, task }: OpenLoopOptions): Promise<OpenLoopTimes> {
  const times: number[] = [];
  const failures: Record<string, number> = {};
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let dueAt = startedAt; ; ) {
    dueAt += (-Math.log(1 - Math.random()) / ratePerSecond) * 1000;
    if (dueAt - startedAt > seconds * 1000) break;
    const ahead = dueAt - performance.now();
    if (ahead > 1) await wait(ahead);
    const due = dueAt;
    running.push(
      task().then(
        () => void times.push(performance.now() - due),
        (error: unknown) => {
          const { message } = error as Error;
          failures[message] = (failures[message] ?? 0) + 1;
        },
      ),
    );
  }
  await Promise.all(running);
  return { times, failures };
}

/** All failures in words, "none" without any. */
export function describeFailures(failures: OpenLoopTimes["failures"]): string {
  const parts = Object.entries(failures).map(([message, count]) => `${count} × ${message}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}
