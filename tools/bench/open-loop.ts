/** Open-loop load: requests start at random times with a fixed mean rate, whether or not earlier ones have ended. */
import { setTimeout as delay } from "node:timers/promises";

export interface OpenLoopOptions {
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly task: () => Promise<unknown>;
}

export interface OpenLoopTimes {
  /** The milliseconds of each successful task. */
  readonly times: readonly number[];
  readonly failures: number;
}

/**
 * Starts tasks with Poisson arrivals. Times count from the moment at which a task was due, so delays in the driver or
 * the server are part of the figure (no coordinated omission).
 */
export async function runOpenLoop({ ratePerSecond, seconds, task }: OpenLoopOptions): Promise<OpenLoopTimes> {
  const times: number[] = [];
  let failures = 0;
  const messages = new Set<string>();
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let dueAt = startedAt; ; ) {
    dueAt += (-Math.log(1 - Math.random()) / ratePerSecond) * 1000;
    if (dueAt - startedAt > seconds * 1000) break;
    const ahead = dueAt - performance.now();
    if (ahead > 1) await delay(ahead);
    const due = dueAt;
    const finish = () => void times.push(performance.now() - due);
    const fail = (error: unknown) => {
      failures += 1;
      messages.add(String(error));
    };
    running.push(task().then(finish, fail));
  }
  await Promise.all(running);
  for (const message of messages) console.error(message);
  return { times, failures };
}
