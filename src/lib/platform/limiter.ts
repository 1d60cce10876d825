/** Limits the concurrent platform calls of one instance, and refuses claims that could not get a slot in time. */
import PQueue from "p-queue";
import { GatewayError } from "../errors.ts";
import type { Clock, RandomSource } from "../ports.ts";
import { PlatformError } from "./errors.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** A claim as the limiter sees it. Only `work` calls the platform. */
interface ClaimSteps<Prepared, Result> {
  /** Latest start of `work`, in clock milliseconds. */
  readonly startBefore: number;
  /** Runs without a slot. At most as many claims as the ceiling run it at the same time. */
  readonly prepare: () => Promise<Prepared>;
  /** Undoes `prepare` if no slot comes in time. */
  readonly abandon: (prepared: Prepared) => Promise<unknown>;
  readonly work: (prepared: Prepared) => Promise<Result>;
}

/** Gives each claim one slot for all its platform calls. */
export interface ClaimSlots {
  /** Throws `claim-failed` if no slot can become free in time, and PlatformError if calls are paused. */
  run<Prepared, Result>(steps: ClaimSteps<Prepared, Result>): Promise<Result>;
}

const slotsLeftForCallers = 2;
// The host lets in more requests than this (HTTP_CONCURRENCY), because those that wait outside cannot be refused.
const maxWaitingClaims = 60;
const firstPauseSeconds = 1;
const maxPauseSeconds = 15;
const maxPauseWaitSeconds: Readonly<Record<Priority, number>> = { caller: 2, background: maxPauseSeconds };

/**
 * Creates a limiter whose limit begins at the ceiling. Specification 8.19 says how it changes and when calls pause, and
 * docs/architecture.md ("Platform calls") who gets a slot.
 */
export function createLimiter(ceiling: number, clock: Clock, random: RandomSource) {
  const slots = new PQueue();
  // Background calls that have a slot or wait for one; further ones wait here.
  const background = new PQueue();
  // Claims that prepare themselves or wait for a slot; further ones wait here.
  const anteroom = new PQueue({ concurrency: ceiling });
  let limit: number;
  setLimit(ceiling);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseSeconds = firstPauseSeconds;
  /** How long a claim keeps its slot, as a moving average. */
  let claimMilliseconds: number | undefined;

  function setLimit(value: number): void {
    limit = Math.min(ceiling, Math.max(1, value));
    slots.concurrency = Math.floor(limit);
    background.concurrency = Math.max(1, slots.concurrency - slotsLeftForCallers);
  }

  /** Waits for a place in a queue. Returns the function that gives it back, or undefined if none is free in time. */
  async function enter(queue: PQueue, startBefore: number): Promise<(() => void) | undefined> {
    if (clock.now() >= startBefore) return undefined;
    const { promise: place, resolve } = Promise.withResolvers<(() => void) | undefined>();
    const [entered, tooLate] = [new AbortController(), new AbortController()];
    const stay = async () => {
      entered.abort();
      return new Promise<void>((giveBack) => resolve(giveBack));
    };
    queue.add(stay, { signal: tooLate.signal }).catch(() => resolve(undefined));
    if (entered.signal.aborted) return place;
    const time = clock.sleep(startBefore - clock.now(), entered.signal).catch(() => undefined);
    void time.then(() => entered.signal.aborted || tooLate.abort());
    return place;
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

  /** Whether a claim that arrives now would get its slot too late. */
  function isTooLate(startBefore: number): boolean {
    const waiting = anteroom.size + anteroom.pending;
    if (waiting >= maxWaitingClaims) return true;
    if (slots.pending < slots.concurrency) return false;
    return clock.now() + ((waiting + 1) * (claimMilliseconds ?? 0)) / slots.concurrency > startBefore;
  }

  const noSlot = () => new GatewayError("claim-failed", { retryAfterSeconds: 5 });

  /** Prepares a claim and waits for its slot. */
  async function admit<Prepared>({ startBefore, prepare, abandon }: ClaimSteps<Prepared, unknown>) {
    const leave = await enter(anteroom, startBefore);
    if (!leave) throw noSlot();
    try {
      const prepared = await prepare();
      const giveBack = await enter(slots, startBefore);
      if (giveBack) return { prepared, giveBack };
      await abandon(prepared);
      throw noSlot();
    } finally {
      leave();
    }
  }

  async function runClaim<Prepared, Result>(steps: ClaimSteps<Prepared, Result>): Promise<Result> {
    await waitForPause("caller", steps.startBefore);
    if (isTooLate(steps.startBefore)) throw noSlot();
    const { prepared, giveBack } = await admit(steps);
    const startedAt = clock.now();
    try {
      return await steps.work(prepared);
    } finally {
      giveBack();
      const milliseconds = clock.now() - startedAt;
      claimMilliseconds = 0.8 * (claimMilliseconds ?? milliseconds) + 0.2 * milliseconds;
    }
  }

  return {
    claimSlots: { run: runClaim } satisfies ClaimSlots,
    waitForPause,
    /** Waits for a slot. Returns the function that gives it back, or undefined if none is free by `startBefore`. */
    async takeSlot(priority: Priority, startBefore: number): Promise<(() => void) | undefined> {
      if (priority === "caller") return enter(slots, startBefore);
      const leave = await enter(background, startBefore);
      const giveBack = leave && (await enter(slots, startBefore));
      const giveBackBoth = () => [giveBack, leave].forEach((end) => end?.());
      if (!giveBack) giveBackBoth();
      return giveBack && giveBackBoth;
    },
    /** Raises the limit by one per round of successful calls, but above two only if they were not slow. */
    onSuccess(isSlow: boolean): void {
      pauseSeconds = firstPauseSeconds;
      if (!isSlow || limit < 2) setLimit(limit + 1 / limit);
    },
    /** Halves the limit if the failure of a call that started at this time shows that the platform is overloaded. */
    onFailure(error: unknown, startedAt: number): void {
      if (!(error instanceof PlatformError)) return;
      const { platformStatus: status, outcome, code } = error;
      const isRefused = status === 429 || status === 503;
      if (!isRefused && status !== 504 && !(code === "platform-timeout" && outcome === "unknown")) return;
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
