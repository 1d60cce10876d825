/** Limits the concurrent platform calls of one instance, and pauses them, by how calls end. */
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";
import { createSlots, type Priority } from "./slots.ts";

// In quotation marks: the rows of test/simulation/overload.test.ts that fail with another number.
const firstPauseSeconds = 1;
const maxPauseSeconds = 15;
// "with 503 for every call gets few creates, which fail soon".
const maxPauseWaitSeconds: Readonly<Record<Priority, number>> = { caller: 2, background: maxPauseSeconds };
// One slot more must not make calls time out, which costs a room if it happens to a change. If none has timed out for
// so long, a slow platform is slow without any load ("1.2 × the possible creates", both numbers).
const slowShareOfTimeout = 0.4;
const timeoutMemoryMilliseconds = 600_000;

/**
 * Creates a limiter whose limit begins at the ceiling. Specification 8.19 says how it changes and when calls pause, and
 * slots.ts who gets a slot.
 */
export function createLimiter(ceiling: number, clock: Clock, random: RandomSource) {
  const slots = createSlots(clock);
  let limit: number;
  setLimit(ceiling);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let timedOutAt = Number.NEGATIVE_INFINITY;
  let timeoutsInRow = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;

  function setLimit(value: number): void {
    limit = Math.min(ceiling, Math.max(1, value));
    slots.setMax(Math.floor(limit));
  }

  /** The rest of the pause. A clock that is set back ends it, so that it never exceeds its maximum. */
  function pauseMilliseconds(): number {
    const milliseconds = pausedUntil - clock.now();
    return milliseconds > maxPauseSeconds * 1000 ? 0 : Math.max(0, milliseconds);
  }

  /** Waits for the end of a pause. Throws PlatformError if it lasts too long for a caller or until `startBefore`. */
  async function waitForPause(priority: Priority, startBefore: number): Promise<void> {
    for (let left = pauseMilliseconds(); left > 0; left = pauseMilliseconds()) {
      if (left > maxPauseWaitSeconds[priority] * 1000 || clock.now() + left >= startBefore)
        throw new PlatformError({
          outcome: "not-sent",
          message: "calls are paused because the platform refuses them",
          retryAfterSeconds: Math.ceil(left / 1000),
        });
      await clock.sleep(left);
    }
  }

  return {
    waitForPause,
    takeSlot: slots.take,
    /** Raises the limit by one per round of successful calls, unless they are slow and others have timed out. */
    onSuccess(milliseconds: number, timeoutSeconds: number): void {
      pauseSeconds = firstPauseSeconds;
      timeoutsInRow = 0;
      const isSlow = milliseconds >= slowShareOfTimeout * timeoutSeconds * 1000;
      const hasTimedOut = Math.abs(clock.now() - timedOutAt) < timeoutMemoryMilliseconds;
      if (!isSlow || !hasTimedOut) setLimit(limit + 1 / limit);
    },
    /** Halves the limit if this failure of a call that started at this time shows that the platform is overloaded. */
    onFailure(error: unknown, startedAt: number): void {
      if (!(error instanceof PlatformError)) return;
      const { platformStatus: status, outcome, code } = error;
      const isRefused = status === 429 || status === 503;
      if (!isRefused && status !== 504 && !(code === "platform-timeout" && outcome === "unknown")) return;
      // One call that hangs says nothing about the load.
      if (!isRefused && ++timeoutsInRow < 2) return;
      if (!isRefused) timedOutAt = clock.now();
      // Calls that began before the last decrease say nothing about the new limit. A clock that is set back begins a
      // round.
      const isFirstOfRound = startedAt >= limitedAt || clock.now() < limitedAt;
      if (isFirstOfRound) {
        limitedAt = clock.now();
        setLimit(limit / 2);
      }
      const requested = error.hasRetryAfter ? error.details.retryAfterSeconds : undefined;
      if (!isRefused || (!isFirstOfRound && requested === undefined)) return;
      // Instances that were throttled together must not retry together, or the same one always wins.
      const own = pauseSeconds * (0.5 + random.integerBelow(1000) / 2000);
      if (isFirstOfRound) pauseSeconds = Math.min(maxPauseSeconds, 2 * pauseSeconds);
      const seconds = Math.min(maxPauseSeconds, requested ?? own);
      pausedUntil = clock.now() + Math.max(pauseMilliseconds(), seconds * 1000);
    },
  };
}
