/** Decides which unit of work may call the platform next, and refuses callers who would wait too long. */
import type { Clock } from "../ports.ts";

/** `caller`: a caller waits for the call. `background`: no caller waits. */
export type Priority = "caller" | "background";

/** Lets one unit of work call the platform, one call after the other. Disposing of it gives it back. */
export type Slot = Disposable;

/** A unit of work that waits for a slot or has one. */
interface Work {
  readonly kind: Priority | "claim";
  readonly start: () => void;
}

type Line = "claims" | "others";
type Count = Readonly<Record<Work["kind"], number>>;

const lineOf = ({ kind }: Pick<Work, "kind">): Line => (kind === "claim" ? "claims" : "others");

// In quotation marks: the rows of test/simulation/overload.test.ts that fail with another number.
const slotsLeftForCallers = 2;
// A burst of creates is served before the rooms that replace theirs ("bursts of 100 creates").
const maxYieldMilliseconds = 2000;
// A burst that this time suffices for is served as a whole ("bursts of 100 creates"); under a load that lasts, a longer
// wait serves nobody else, and callers leave ("2 × the possible creates", 2.6 to 7 s per call).
const maxWaitMilliseconds = 8000;
// The host lets in more requests than wait in both lines (HTTP_CONCURRENCY), because it cannot refuse those outside
// ("5 × the reads").
const maxWaitingPerLine = 200;

/** Creates slots, none at first. docs/architecture.md ("Platform calls") says who gets one. */
export function createSlots(clock: Clock) {
  let max = 0;
  let lastLine: Line = "others";
  /** Since when somebody has waited without a break for lack of slots, in clock milliseconds. */
  let rushSince: number | undefined;
  /** In order of arrival. */
  const waiting = new Set<Work>();
  const started = new Set<Work>();
  /** How long units of work keep their slots: moving averages that begin at 0, so that one slow unit says little. */
  const averageMilliseconds = { claim: 0, caller: 0, background: 0 };

  /** Whether callers go first: in the first seconds of a rush, because the pool would run dry if they always did. */
  function isYielding({ kind }: Work): boolean {
    if (kind !== "background" || rushSince === undefined) return false;
    return Math.abs(clock.now() - rushSince) < maxYieldMilliseconds;
  }

  const maxInBackground = () => Math.max(1, max - slotsLeftForCallers);
  const inBackground = () => [...started].filter(({ kind }) => kind === "background").length;

  /** Returns the next to start: the lines take turns, and in each line, whoever came first is next. */
  function findNext(): Work | undefined {
    const mayStartBackground = inBackground() < maxInBackground();
    const candidates = [...waiting].filter(({ kind }) => kind !== "background" || mayStartBackground);
    const first = candidates.filter((work) => !isYielding(work));
    return first.find((work) => lineOf(work) !== lastLine) ?? first[0] ?? candidates[0];
  }

  function startNext(): void {
    for (let work = findNext(); work && started.size < max; work = findNext()) {
      waiting.delete(work);
      started.add(work);
      lastLine = lineOf(work);
      work.start();
    }
    const isRush = waiting.size > 0 && started.size >= max;
    rushSince = isRush ? (rushSince ?? clock.now()) : undefined;
  }

  /** Returns how long these keep one slot before it is this line's turn; the other line has half of the turns. */
  function millisecondsAhead({ claim, caller, background }: Count, line: Line): number {
    const others = caller + background;
    const turns = line === "claims" ? claim : others;
    const ofClaims = Math.min(claim, turns) * averageMilliseconds.claim;
    const ofOthers = caller * averageMilliseconds.caller + background * averageMilliseconds.background;
    return ofClaims + (Math.min(others, turns) / Math.max(1, others)) * ofOthers;
  }

  /**
   * Whether a caller who arrives now would wait too long in this line: behind everybody for any slot, and also behind
   * other callers for the slots that are left to them. If none is left, everybody is ahead.
   */
  function isTooLong(line: Line): boolean {
    // Background work that has a slot gives it back to its line.
    const all = { claim: 0, caller: 0, background: inBackground() };
    for (const { kind } of waiting) all[kind] += 1;
    if (all[line === "claims" ? "claim" : "caller"] >= maxWaitingPerLine) return true;
    const slotsForCallers = max - maxInBackground();
    return (
      millisecondsAhead(all, line) > max * maxWaitMilliseconds &&
      millisecondsAhead({ ...all, background: 0 }, line) >= slotsForCallers * maxWaitMilliseconds
    );
  }

  function createSlot(work: Work): Slot {
    const startedAt = clock.now();
    const { kind } = work;
    return {
      [Symbol.dispose]() {
        const milliseconds = clock.now() - startedAt;
        averageMilliseconds[kind] = 0.8 * averageMilliseconds[kind] + 0.2 * milliseconds;
        started.delete(work);
        startNext();
      },
    };
  }

  function setMax(value: number): void {
    max = value;
    startNext();
  }

  /**
   * Waits for the slot of a unit of work. Returns undefined if none is free by `startBefore`, in clock milliseconds,
   * and at once if a caller would wait too long.
   */
  async function take(kind: Work["kind"], startBefore: number): Promise<Slot | undefined> {
    if (clock.now() >= startBefore || (kind !== "background" && isTooLong(lineOf({ kind }))))
      return undefined;
    const { promise: isStarted, resolve: start } = Promise.withResolvers<void>();
    const work: Work = { kind, start };
    waiting.add(work);
    startNext();
    if (waiting.has(work)) {
      const ended = new AbortController();
      const timeout = clock.sleep(startBefore - clock.now(), ended.signal).catch(() => undefined);
      await Promise.race([isStarted, timeout]);
      ended.abort(null);
    }
    return waiting.delete(work) ? undefined : createSlot(work);
  }

  return { setMax, take };
}
