/** Decides which call to the platform starts next: callers first, then lists and other background work in turn. */
import type { Clock } from "../ports.ts";
import type { AdaptiveLimit } from "./adaptive-limit.ts";

/** Who waits for a call: a caller, a caller of a long list, or nobody. */
export type CallClass = "caller" | "list" | "background";

/** The slots of one instance. */
export interface CallSlots {
  /** Runs `task` once its class has a free slot. Resolves and rejects as `task` does. */
  run<Result>(callClass: CallClass, task: () => Promise<Result>): Promise<Result>;
  /** Returns how many tasks of a class wait for a slot. */
  waiting(callClass: CallClass): number;
}

const slotsLeftForCallers = 2;

/** Creates the slots. Lists and background work together leave two slots free, if the limit is above two. */
export function createCallSlots(
  limit: Pick<AdaptiveLimit, "current" | "pausedUntil">,
  clock: Clock,
): CallSlots {
  const queues: Record<CallClass, (() => Promise<void>)[]> = { caller: [], list: [], background: [] };
  const running: Record<CallClass, number> = { caller: 0, list: 0, background: 0 };
  let turn: CallClass = "list";
  let isWaking = false;

  function nextClass(): CallClass | undefined {
    const inBackground = running.list + running.background;
    if (running.caller + inBackground >= limit.current()) return undefined;
    if (queues.caller.length > 0) return "caller";
    if (inBackground >= Math.max(1, limit.current() - slotsLeftForCallers)) return undefined;
    const other: CallClass = turn === "list" ? "background" : "list";
    return [turn, other].find((callClass) => queues[callClass].length > 0);
  }

  function startCalls(): void {
    if (clock.now() < limit.pausedUntil()) return wakeAfterPause();
    for (let next = nextClass(); next !== undefined; next = nextClass()) {
      const start = queues[next].shift();
      if (next !== "caller") turn = next === "list" ? "background" : "list";
      void start?.();
    }
  }

  function wakeAfterPause(): void {
    const isAnyWaiting = Object.values(queues).some((queue) => queue.length > 0);
    if (isWaking || !isAnyWaiting) return;
    isWaking = true;
    void clock.sleep(limit.pausedUntil() - clock.now()).then(() => {
      isWaking = false;
      startCalls();
    });
  }

  return {
    async run(callClass, task) {
      return new Promise((resolve, reject) => {
        queues[callClass].push(async () => {
          running[callClass] += 1;
          await task().then(resolve, reject);
          running[callClass] -= 1;
          startCalls();
        });
        startCalls();
      });
    },
    waiting: (callClass) => queues[callClass].length,
  };
}
