/** Limits the concurrent platform calls of one instance, and orders the waiting ones. */
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** The slots of one instance. */
export interface Limiter {
  /**
   * Waits for a slot. Returns false if there is none by `startBefore`, which is in clock milliseconds; otherwise the
   * call must give its slot back.
   */
  takeSlot(priority: Priority, startBefore: number): Promise<boolean>;
  giveBackSlot(priority: Priority): void;
  /** Returns how many calls wait for a slot. */
  waiting(priority: Priority): number;
  /** Raises the limit by one per round of successful calls. */
  onSuccess(): void;
  /** Halves the limit if the failure of a call that started at this time shows that the platform is overloaded. */
  onFailure(error: unknown, startedAt: number): void;
}

const slotsLeftForCallers = 2;
const maxCallerStartsBeforeBackground = 4;
const firstPauseSeconds = 1;
// Shorter than a caller's wait of 20 s, so a call can outlast a pause.
const maxPauseSeconds = 15;

/**
 * Creates a limiter whose limit is between one call and the ceiling, where it begins. It falls by half after 429, 503,
 * 504 and timeouts. 429 and 503 also pause all calls, for `Retry-After` up to 15 s, or for a second that doubles with
 * each further one. Callers go first, but only four of them before a waiting background call.
 */
export function createLimiter(ceiling: number, clock: Clock, random: RandomSource): Limiter {
  const queues = { caller: new Set<() => void>(), background: new Set<() => void>() };
  const running = { caller: 0, background: 0 };
  let callerStarts = 0;
  let limit = ceiling;
  let limitedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;
  let isWaking = false;

  function nextPriority(): Priority | undefined {
    const slots = Math.floor(limit);
    if (running.caller + running.background >= slots) return undefined;
    const maxInBackground = Math.max(1, slots - slotsLeftForCallers);
    const mayStartBackground = queues.background.size > 0 && running.background < maxInBackground;
    const isBackgroundsTurn = queues.caller.size === 0 || callerStarts >= maxCallerStartsBeforeBackground;
    if (mayStartBackground && isBackgroundsTurn) return "background";
    return queues.caller.size > 0 ? "caller" : undefined;
  }

  function startCalls(): void {
    if (clock.now() < pausedUntil) return wakeAfterPause();
    for (let priority = nextPriority(); priority !== undefined; priority = nextPriority()) {
      const [start] = queues[priority];
      if (start) queues[priority].delete(start);
      running[priority] += 1;
      callerStarts = priority === "caller" && queues.background.size > 0 ? callerStarts + 1 : 0;
      start?.();
    }
  }

  function wakeAfterPause(): void {
    if (isWaking || queues.caller.size + queues.background.size === 0) return;
    isWaking = true;
    void clock.sleep(pausedUntil - clock.now()).then(() => {
      isWaking = false;
      startCalls();
    });
  }

  function pause(retryAfterSeconds: number | undefined, isFirstOfRound: boolean): void {
    if (!isFirstOfRound && retryAfterSeconds === undefined) return;
    // Instances that were throttled together must not retry together, or the same one always wins.
    const ownSeconds = pauseSeconds * (0.5 + random.integerBelow(1000) / 2000);
    if (isFirstOfRound) pauseSeconds = Math.min(maxPauseSeconds, 2 * pauseSeconds);
    const seconds = Math.min(maxPauseSeconds, retryAfterSeconds ?? ownSeconds);
    pausedUntil = Math.max(pausedUntil, clock.now() + seconds * 1000);
  }

  return {
    async takeSlot(priority, startBefore) {
      if (clock.now() >= startBefore) return false;
      const turn = Promise.withResolvers<boolean>();
      const start = () => turn.resolve(true);
      queues[priority].add(start);
      startCalls();
      if (!queues[priority].has(start)) return true;
      const started = new AbortController();
      void clock.sleep(startBefore - clock.now(), started.signal).then(
        () => {
          queues[priority].delete(start);
          turn.resolve(false);
        },
        () => undefined,
      );
      return turn.promise.finally(() => started.abort());
    },
    giveBackSlot(priority) {
      running[priority] -= 1;
      startCalls();
    },
    waiting: (priority) => queues[priority].size,
    onSuccess() {
      pauseSeconds = firstPauseSeconds;
      limit = Math.min(ceiling, limit + 1 / limit);
    },
    onFailure(error, startedAt) {
      if (!(error instanceof PlatformError)) return;
      const { platformStatus: status, outcome, code } = error;
      const isRefused = status === 429 || status === 503;
      if (!isRefused && status !== 504 && !(code === "platform-timeout" && outcome === "unknown")) return;
      // Calls that began before the last decrease say nothing about the new limit.
      const isFirstOfRound = startedAt >= limitedAt;
      if (isFirstOfRound) {
        limitedAt = clock.now();
        limit = Math.max(1, limit / 2);
      }
      if (isRefused) pause(error.hasRetryAfter ? error.details.retryAfterSeconds : undefined, isFirstOfRound);
    },
  };
}
