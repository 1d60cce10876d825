/** How many calls to the platform one instance may have in flight: it learns the number from how its calls end. */
import type { Clock, RandomSource } from "../ports.ts";
import { createLatencies } from "./latencies.ts";

/** How a call ended. Endings that say nothing about the platform's load are `other`. */
export type CallEnding = "success" | "throttled" | "timeout" | "other";

/** One call that has ended. */
export interface EndedCall {
  /** Calls of one kind usually take equally long. */
  readonly kind: string;
  /** In clock milliseconds. */
  readonly startedAt: number;
  readonly timeoutSeconds: number;
  readonly ending: CallEnding;
  /** The platform's `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The limit of one instance. */
export interface AdaptiveLimit {
  /** Returns how many calls may be in flight: a whole number from 1 to the ceiling. */
  current(): number;
  /** Returns the time before which no call may start, in clock milliseconds. */
  pausedUntil(): number;
  /** Adapts the limit to a call that has ended. */
  learn(call: EndedCall): void;
}

// Below a caller's wait of 20 s, so that a call can outlast a pause.
const maxPauseSeconds = 15;
const firstPauseSeconds = 1;
// A call this close to its timeout has waited for others, even if all recent calls have.
const maxPartOfTimeout = 0.25;
const decreaseWhenSlow = 0.75;
const decreaseWhenRefused = 0.5;

/**
 * Creates a limit that starts at its ceiling. Each round of successful calls raises it by one call; rising latency
 * lowers it by a quarter, a 429 or a timeout by half. A 429 also pauses the instance, for `Retry-After` within bounds,
 * or for a second that doubles with each further 429.
 */
export function createAdaptiveLimit(
  ceiling: number,
  clock: Pick<Clock, "now">,
  random: RandomSource,
): AdaptiveLimit {
  const latencies = createLatencies(clock);
  let limit = 1;
  let decreasedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;

  /** Lowers the limit once per round: calls that began before the last decrease prove nothing about the new limit. */
  function decrease(factor: number, startedAt: number): boolean {
    if (startedAt < decreasedAt) return false;
    decreasedAt = clock.now();
    limit = Math.max(1, limit * factor);
    return true;
  }

  function pause(call: EndedCall): void {
    const isFirstOfRound = decrease(decreaseWhenRefused, call.startedAt);
    if (!isFirstOfRound && call.retryAfterSeconds === undefined) return;
    // Instances that were refused together must not come back together, or the same one always wins.
    const ownSeconds = pauseSeconds * (0.5 + random.integerBelow(1000) / 2000);
    if (isFirstOfRound) pauseSeconds = Math.min(maxPauseSeconds, 2 * pauseSeconds);
    const seconds = call.retryAfterSeconds ?? ownSeconds;
    pausedUntil = Math.max(pausedUntil, clock.now() + Math.min(maxPauseSeconds, seconds) * 1000);
  }

  function learnFromSuccess({ kind, startedAt, timeoutSeconds }: EndedCall): void {
    pauseSeconds = firstPauseSeconds;
    const milliseconds = clock.now() - startedAt;
    const isRising = latencies.isRising(kind, milliseconds);
    if (isRising || milliseconds > maxPartOfTimeout * timeoutSeconds * 1000)
      decrease(decreaseWhenSlow, startedAt);
    else limit = Math.min(ceiling, limit + 1 / limit);
  }

  return {
    current: () => Math.floor(limit),
    pausedUntil: () => pausedUntil,
    learn(call) {
      if (call.ending === "success") learnFromSuccess(call);
      else if (call.ending === "throttled") pause(call);
      else if (call.ending === "timeout") decrease(decreaseWhenRefused, call.startedAt);
    },
  };
}
