/** Limits the concurrent platform calls of one instance, and refuses callers who would wait too long for a slot. */
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** A place that was granted. Disposing of it gives it back. */
type Place = Disposable;

/** Lets one unit of work call the platform, one call after the other. Disposing of it gives it back. */
export type Slot = Place;

/** Lets a claim receive a message. Disposing of it lets the next claim in. */
interface Admission extends Place {
  /** Waits for the slot of the claim. Returns undefined if none is free in time. */
  readonly takeSlot: () => Promise<Slot | undefined>;
}

/** Gives each claim one slot for all its platform calls. */
export type ClaimSlots = ReturnType<typeof createLimiter>["claimSlots"];

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
  const slots = createPlaces<Line>(clock, "claims", "others");
  // Claims that receive a message, or hold one without a slot. More of them would empty the pool.
  const admissions = createPlaces(clock, "claims");
  admissions.setMax(admittedPerSlot * ceiling);
  // Background work that has a slot or waits for one.
  const background = createPlaces(clock, "others");
  let limit: number;
  setLimit(ceiling);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let timedOutAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;
  /** How long a claim receives its message, and how long units of work keep their slots: moving averages. */
  const averageMilliseconds = { receive: 0, claims: 0, others: 0 };

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
    const turnsOfOthers = Math.min(waiting(line), waiting(otherLine));
    const free = Math.floor(limit) - slots.taken();
    const ahead =
      (waiting(line) - free) * averageMilliseconds[line] + turnsOfOthers * averageMilliseconds[otherLine];
    return waiting(line) >= maxWaitingPerLine || ahead / Math.floor(limit) > maxWaitMilliseconds;
  }

  /** Whether storage is so slow that a claim would wait too long before it receives its message. */
  function isStorageTooSlow(): boolean {
    const ahead = admissions.waiting("claims") * averageMilliseconds.receive;
    return ahead / (admittedPerSlot * ceiling) > maxWaitMilliseconds;
  }

  /** Starts to measure a time. Returns the function that adds it to the average. */
  function measure(what: keyof typeof averageMilliseconds): () => void {
    const startedAt = clock.now();
    return () => {
      const milliseconds = clock.now() - startedAt;
      averageMilliseconds[what] = 0.8 * (averageMilliseconds[what] || milliseconds) + 0.2 * milliseconds;
    };
  }

  async function enterSlots(line: Line, startBefore: number): Promise<Slot | undefined> {
    const place = await slots.enter(line, startBefore);
    return place && disposing(measure(line), place[Symbol.dispose]);
  }

  /**
   * Lets a claim in. Returns undefined if it would wait too long for its slot, or until `startBefore`, in clock
   * milliseconds. Throws PlatformError if calls are paused.
   */
  async function admit(startBefore: number): Promise<Admission | undefined> {
    await waitForPause("caller", startBefore);
    if (isTooLong("claims", "others") || isStorageTooSlow()) return undefined;
    const place = await admissions.enter("claims", startBefore);
    if (!place) return undefined;
    const endReceive = measure("receive");
    return {
      ...place,
      takeSlot: async () => {
        endReceive();
        return enterSlots("claims", startBefore);
      },
    };
  }

  async function enterInBackground(startBefore: number): Promise<Slot | undefined> {
    const place = await background.enter("others", startBefore);
    const slot = place && (await enterSlots("others", startBefore));
    if (!slot) place?.[Symbol.dispose]();
    return slot && disposing(slot[Symbol.dispose], place[Symbol.dispose]);
  }

  return {
    claimSlots: { admit },
    waitForPause,
    /**
     * Waits for the slot of a unit of work that is not a claim. Returns undefined if none is free by `startBefore`, and
     * at once if a caller would wait too long.
     */
    async takeSlot(priority: Priority, startBefore: number): Promise<Slot | undefined> {
      if (priority === "background") return enterInBackground(startBefore);
      return isTooLong("others", "claims") ? undefined : enterSlots("others", startBefore);
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

const disposing = (...ends: readonly (() => void)[]): Disposable => ({
  [Symbol.dispose]: () => ends.forEach((end) => end()),
});

/**
 * Creates places, none at first. A place that becomes free goes to the line whose last turn is older, and there to
 * whoever came first.
 */
function createPlaces<Line extends string>(clock: Clock, ...lineNames: readonly Line[]) {
  let max = 0;
  let taken = 0;
  /** Those who wait, as functions that grant them a place. The line whose last turn is older comes first. */
  const lines = lineNames.map((name) => ({ name, grants: [] as (() => void)[] }));
  const lineOf = (name: Line) => lines.find((line) => line.name === name)?.grants ?? [];

  function grantFreePlaces(): void {
    while (taken < max) {
      const next = lines.findIndex(({ grants }) => grants.length > 0);
      const [line] = next < 0 ? [] : lines.splice(next, 1);
      if (!line) return;
      lines.push(line);
      taken += 1;
      line.grants.shift()?.();
    }
  }

  const place: Place = {
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
    taken: () => taken,
    waiting: (name: Line) => lineOf(name).length,
    /** Waits in a line for a place. Returns undefined if none was free by `startBefore`, in clock milliseconds. */
    async enter(name: Line, startBefore: number): Promise<Place | undefined> {
      if (clock.now() >= startBefore) return undefined;
      const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
      const line = lineOf(name);
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
