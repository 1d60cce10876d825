/** Limits the concurrent platform calls of one instance, and refuses callers who would wait too long for a slot. */
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";
import { createPlaces, type Place } from "./places.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** Lets one unit of work call the platform, one call after the other. Disposing of it gives it back. */
export type Slot = Place;

/** A claim that may receive a message. Disposing of it lets the next claim in. */
interface Admission extends Disposable {
  /** Waits for the slot of the claim. Returns undefined if none is free in time. */
  takeSlot(): Promise<Slot | undefined>;
}

/** Gives each claim one slot for all its platform calls. */
export interface ClaimSlots {
  /**
   * Lets a claim in. Returns undefined if it would wait too long for its slot, or until `startBefore`, in clock
   * milliseconds. Throws PlatformError if calls are paused.
   */
  admit(startBefore: number): Promise<Admission | undefined>;
}

type Line = "claims" | "others";

const slotsLeftForCallers = 2;
// A burst that this time suffices for is served as a whole; under a load that lasts, a longer wait serves nobody else.
// The host lets in more requests than wait in both lines (HTTP_CONCURRENCY), because it cannot refuse those outside.
const maxWaitMilliseconds = 8000;
const maxWaitingPerLine = 200;
// Receiving a message calls storage, so more claims may do it than have slots.
const admittedPerSlot = 2;
const firstPauseSeconds = 1;
const maxPauseSeconds = 15;
const maxPauseWaitSeconds: Readonly<Record<Priority, number>> = { caller: 2, background: maxPauseSeconds };
// One slot more must not make calls time out, which costs a room if it happens to a change. If none has timed out for so
// long, a slow platform is slow without any load.
const slowShareOfTimeout = 0.4;
const timeoutMemoryMilliseconds = 600_000;

/**
 * Creates a limiter whose limit begins at the ceiling. Specification 8.19 says how it changes and when calls pause, and
 * docs/architecture.md ("Platform calls") who gets a slot.
 */
export function createLimiter(ceiling: number, clock: Clock, random: RandomSource) {
  const slots = createPlaces<Line>(["claims", "others"], clock);
  // Claims that receive a message, or hold one without a slot. More of them would empty the pool.
  const admissions = createPlaces(["claims"], clock);
  admissions.setMax(admittedPerSlot * ceiling);
  // Background work that has a slot or waits for one.
  const background = createPlaces(["others"], clock);
  let limit: number;
  setLimit(ceiling);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let timedOutAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;
  /** How long a claim receives its message, and how long units of work keep their slots. */
  const averages = {
    receive: createAverage(clock),
    claims: createAverage(clock),
    others: createAverage(clock),
  };

  function setLimit(value: number): void {
    limit = Math.min(ceiling, Math.max(1, value));
    slots.setMax(Math.floor(limit));
    background.setMax(Math.max(1, Math.floor(limit) - slotsLeftForCallers));
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

  /** How many units of work wait in a line. Claims wait there before they receive their message, too. */
  const waiting = (line: Line) =>
    line === "claims" ? admissions.waiting("claims") + admissions.taken() : slots.waiting("others");

  /** Whether a caller who arrives now would wait too long in this line. The lines take turns. */
  function isTooLong(line: Line, otherLine: Line): boolean {
    if (waiting(line) >= maxWaitingPerLine) return true;
    const turnsOfOthers = Math.min(waiting(line), waiting(otherLine));
    const freeNow = slots.free() * averages[line].value();
    const ahead = waiting(line) * averages[line].value() + turnsOfOthers * averages[otherLine].value();
    return (ahead - freeNow) / Math.floor(limit) > maxWaitMilliseconds;
  }

  /** Whether storage is so slow that a claim would wait too long before it receives its message. */
  const isStorageTooSlow = () =>
    (admissions.waiting("claims") * averages.receive.value()) / (admittedPerSlot * ceiling) >
    maxWaitMilliseconds;

  async function takeSlot(line: Line, startBefore: number): Promise<Slot | undefined> {
    const place = await slots.enter(line, startBefore);
    return place && averages[line].measure(place);
  }

  async function admit(startBefore: number): Promise<Admission | undefined> {
    await waitForPause("caller", startBefore);
    if (isTooLong("claims", "others") || isStorageTooSlow()) return undefined;
    const place = await admissions.enter("claims", startBefore);
    if (!place) return undefined;
    const receiving = averages.receive.measure();
    return {
      async takeSlot() {
        receiving[Symbol.dispose]();
        return takeSlot("claims", startBefore);
      },
      [Symbol.dispose]: () => place[Symbol.dispose](),
    };
  }

  async function takeBackgroundSlot(startBefore: number): Promise<Slot | undefined> {
    const place = await background.enter("others", startBefore);
    const slot = place && (await takeSlot("others", startBefore));
    if (!slot) place?.[Symbol.dispose]();
    return slot && { [Symbol.dispose]: () => [slot, place].forEach((one) => one[Symbol.dispose]()) };
  }

  return {
    claimSlots: { admit } satisfies ClaimSlots,
    waitForPause,
    /**
     * Waits for the slot of a unit of work that is not a claim. Returns undefined if none is free by `startBefore`, and
     * at once if a caller would wait too long.
     */
    async takeSlot(priority: Priority, startBefore: number): Promise<Slot | undefined> {
      if (priority === "background") return takeBackgroundSlot(startBefore);
      return isTooLong("others", "claims") ? undefined : takeSlot("others", startBefore);
    },
    /** Raises the limit by one per round of successful calls, unless they are slow and others have timed out. */
    onSuccess(milliseconds: number, timeoutSeconds: number): void {
      pauseSeconds = firstPauseSeconds;
      const isSlow = milliseconds >= slowShareOfTimeout * timeoutSeconds * 1000;
      const hasTimedOut = Math.abs(clock.now() - timedOutAt) < timeoutMemoryMilliseconds;
      if (!isSlow || !hasTimedOut) setLimit(limit + 1 / limit);
    },
    /** Halves the limit if the failure of a call that started at this time shows that the platform is overloaded. */
    onFailure(error: unknown, startedAt: number): void {
      if (!(error instanceof PlatformError)) return;
      const { platformStatus: status, outcome, code } = error;
      const isRefused = status === 429 || status === 503;
      if (!isRefused && status !== 504 && !(code === "platform-timeout" && outcome === "unknown")) return;
      if (!isRefused) timedOutAt = clock.now();
      // Calls that began before the last decrease say nothing about the new limit. A clock that is set back begins a round.
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

/** Creates a moving average of times. */
function createAverage(clock: Pick<Clock, "now">) {
  let average: number | undefined;
  return {
    /** In milliseconds; 0 as long as nothing has been measured. */
    value: () => average ?? 0,
    /** Measures the time until the result is disposed of, which disposes of `place`. */
    measure(place?: Place): Disposable {
      const startedAt = clock.now();
      return {
        [Symbol.dispose]() {
          const milliseconds = clock.now() - startedAt;
          average = 0.8 * (average ?? milliseconds) + 0.2 * milliseconds;
          place?.[Symbol.dispose]();
        },
      };
    },
  };
}
