/** Limits the concurrent platform calls of one instance, and refuses callers who would wait too long for a slot. */
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** Lets one unit of work call the platform, one call after the other. Disposing of it gives it back. */
export type Slot = Disposable;

type Line = "claims" | "others";

const otherLines: Readonly<Record<Line, Line>> = { claims: "others", others: "claims" };

// In quotation marks: the rows of test/simulation/overload.test.ts that fail with another number.
const slotsLeftForCallers = 2;
// A burst that this time suffices for is served as a whole ("bursts of 100 creates"); under a load that lasts, a longer
// wait serves nobody else, and callers leave ("2 × the possible creates", 2.6 to 7 s per call).
const maxWaitMilliseconds = 8000;
// The host lets in more requests than wait in both lines (HTTP_CONCURRENCY), because it cannot refuse those outside
// ("5 × the reads").
const maxWaitingPerLine = 200;
const firstPauseSeconds = 1;
const maxPauseSeconds = 15;
// "with 503 for every call gets few creates, which fail soon".
const maxPauseWaitSeconds: Readonly<Record<Priority, number>> = { caller: 2, background: maxPauseSeconds };
// One slot more must not make calls time out, which costs a room if it happens to a change. If none has timed out for so
// long, a slow platform is slow without any load ("1.2 × the possible creates", both numbers).
const slowShareOfTimeout = 0.4;
const timeoutMemoryMilliseconds = 600_000;

/**
 * Creates a limiter whose limit begins at the ceiling. Specification 8.19 says how it changes and when calls pause, and
 * docs/architecture.md ("Platform calls") who gets a slot.
 */
export function createLimiter(ceiling: number, clock: Clock, random: RandomSource) {
  const slots = createPlaces(clock);
  // Background work that has a slot or waits for one.
  const background = createPlaces(clock);
  let limit: number;
  setLimit(ceiling);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let timedOutAt = Number.NEGATIVE_INFINITY;
  let timeoutsInRow = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;
  /** How long units of work keep their slots: moving averages that begin at 0, so that one slow unit says little. */
  const averageMilliseconds = { claims: 0, others: 0 };

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

  /** Whether a caller who arrives now would wait too long in this line. The lines take turns. */
  function isTooLong(line: Line): boolean {
    const otherLine = otherLines[line];
    const waiting = slots.waiting(line);
    const turnsOfOthers = Math.min(waiting, slots.waiting(otherLine));
    const ahead = waiting * averageMilliseconds[line] + turnsOfOthers * averageMilliseconds[otherLine];
    return waiting >= maxWaitingPerLine || ahead / Math.floor(limit) > maxWaitMilliseconds;
  }

  async function enterSlots(line: Line, startBefore: number): Promise<Slot | undefined> {
    const place = await slots.enter(line, startBefore);
    if (!place) return undefined;
    const startedAt = clock.now();
    return {
      [Symbol.dispose]() {
        const milliseconds = clock.now() - startedAt;
        averageMilliseconds[line] = 0.8 * averageMilliseconds[line] + 0.2 * milliseconds;
        place[Symbol.dispose]();
      },
    };
  }

  async function enterInBackground(startBefore: number): Promise<Slot | undefined> {
    using places = new DisposableStack();
    const place = places.use(await background.enter("others", startBefore));
    const slot = place && places.use(await enterSlots("others", startBefore));
    return slot && places.move();
  }

  return {
    waitForPause,
    /**
     * Waits for the slot of a unit of work. Returns undefined if none is free by `startBefore`, in clock milliseconds, and
     * at once if a caller would wait too long.
     */
    async takeSlot(work: Priority | "claim", startBefore: number): Promise<Slot | undefined> {
      if (work === "background") return enterInBackground(startBefore);
      const line = work === "claim" ? "claims" : "others";
      return isTooLong(line) ? undefined : enterSlots(line, startBefore);
    },
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

/**
 * Creates places, none at first. The lines take turns for a place that becomes free, and in each line, whoever came first
 * gets it. Disposing of a place gives it back.
 */
function createPlaces(clock: Clock) {
  let max = 0;
  let taken = 0;
  let lastLine: Line = "others";
  /** Those who wait, as functions that grant them a place. */
  const lines: Readonly<Record<Line, (() => void)[]>> = { claims: [], others: [] };

  function grantFreePlaces(): void {
    while (taken < max) {
      const nextLine = otherLines[lastLine];
      if (lines[nextLine].length > 0) lastLine = nextLine;
      const grant = lines[lastLine].shift();
      if (!grant) return;
      taken += 1;
      grant();
    }
  }

  const place: Disposable = {
    [Symbol.dispose]() {
      taken -= 1;
      grantFreePlaces();
    },
  };

  return {
    setMax(value: number): void {
      max = value;
      grantFreePlaces();
    },
    waiting: (line: Line) => lines[line].length,
    /** Waits in a line for a place. Returns undefined if none was free by `startBefore`, in clock milliseconds. */
    async enter(lineName: Line, startBefore: number): Promise<Disposable | undefined> {
      if (clock.now() >= startBefore) return undefined;
      const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
      const line = lines[lineName];
      line.push(grant);
      grantFreePlaces();
      if (line.includes(grant)) {
        const ended = new AbortController();
        const timeout = clock.sleep(startBefore - clock.now(), ended.signal).catch(() => undefined);
        await Promise.race([granted, timeout]);
        ended.abort(null);
      }
      if (!line.includes(grant)) return place;
      line.splice(line.indexOf(grant), 1);
      return undefined;
    },
  };
}
