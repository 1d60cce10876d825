/** Runs a timer function on its NCRONTAB schedule, one run at a time. */
import { setTimeout as delay } from "node:timers/promises";
import { Cron } from "croner";
import type { TypedData } from "../worker/messages.ts";

export type TimerListener = ReturnType<typeof createTimerListener>;

export interface TimerOptions {
  readonly schedule: string;
  readonly runOnStartup: boolean;
  /** Runs the function. Never throws; a failure has been logged. */
  run(input: TypedData): Promise<void>;
}

const maxTimerMilliseconds = 2 ** 31 - 1;
const never = "0001-01-01T00:00:00";

/**
 * Prepares the timer. Throws if the schedule is invalid. A run that outlasts its slot is followed by one immediate run.
 * Runs that were missed while the host was down are skipped: nothing is stored on disk.
 */
export function createTimerListener(options: TimerOptions) {
  // Day of month and day of week must both fit, unlike in Unix cron.
  const cron = new Cron(options.schedule, { mode: "5-or-6-parts", domAndDow: true, paused: true });
  const stopping = new AbortController();
  let last = never;
  let next = cron.nextRun();
  let running = Promise.resolve();

  /** The input of a run that is fired by hand. */
  function currentInput(): TypedData {
    const [first, second] = cron.nextRuns(2);
    const isFrequent = first && second && second.getTime() - first.getTime() < 60_000;
    const scheduleStatus = { Last: last, Next: next?.toISOString() ?? never, LastUpdated: last };
    return {
      json: JSON.stringify({
        Schedule: { AdjustForDST: true },
        ScheduleStatus: isFrequent ? null : scheduleStatus,
        IsPastDue: false,
      }),
    };
  }

  async function keepSchedule(): Promise<void> {
    if (options.runOnStartup) {
      await options.run(currentInput());
      last = new Date().toISOString();
    }
    let slot = cron.nextRun();
    while (slot && !stopping.signal.aborted) {
      next = slot;
      await waitUntil(slot, stopping.signal);
      if (stopping.signal.aborted) return;
      await options.run(currentInput());
      last = slot.toISOString();
      const following: Date | null = cron.nextRun(slot);
      const now = new Date();
      slot = following && following < now ? now : following;
    }
  }

  return {
    currentInput,
    start(): void {
      running = keepSchedule();
    },
    /** Ends the schedule and resolves when a run in progress has finished. */
    async stop(): Promise<void> {
      stopping.abort();
      cron.stop();
      await running;
    },
  };
}

async function waitUntil(time: Date, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && time.getTime() > Date.now()) {
    const milliseconds = Math.min(time.getTime() - Date.now(), maxTimerMilliseconds);
    await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}
