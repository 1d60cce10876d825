/** Pauses the changes of claims while their outcomes stay unknown, because each of these costs a room. */
import type { Log } from "../log.ts";
import { PlatformError } from "../platform/errors.ts";
import type { Clock } from "../ports.ts";

type State =
  | { readonly name: "closed"; readonly unknownInRow: number }
  | { readonly name: "open"; readonly until: number; readonly failedTrials: number }
  | { readonly name: "trying" };

/** What a change says about the next one. `rejected`: the platform answered, but not as if it could change a room. */
type Verdict = "works" | "unknown" | "rejected" | "not-sent";

const maxUnknownInRow = 3;
const pauseMilliseconds = 10_000;
const maxRepeats = 3;
const trialsPerFreshRoom = 6;

/**
 * Creates a breaker. Three unknown outcomes in a row stop all changes for ten seconds. Then one of the last three of
 * them is repeated unchanged, on a room that is queued for deletion, so the trial costs no room. The call that timed out
 * may still lock its room, so the rooms take turns, and every sixth trial is the change of a claim.
 */
export function createBreaker(clock: Pick<Clock, "now">) {
  let state: State = { name: "closed", unknownInRow: 0 };
  let repeats: readonly ((startBefore: number) => Promise<boolean>)[] = [];

  function pause(failedTrials: number, log: Log): State {
    log.error("assignments-paused", { seconds: pauseMilliseconds / 1000 });
    return { name: "open", until: clock.now() + pauseMilliseconds, failedTrials };
  }

  /** Throws a PlatformError that says "not sent" while no change may be sent. */
  function check(): void {
    if (state.name === "closed") return;
    const milliseconds = state.name === "open" ? state.until - clock.now() : 1;
    // A clock that is set back ends the pause.
    if (milliseconds <= 0 || milliseconds > pauseMilliseconds) return;
    throw new PlatformError({
      outcome: "not-sent",
      message: "assignments are paused after several unknown outcomes",
      retryAfterSeconds: Math.ceil(milliseconds / 1000),
    });
  }

  /** Returns the state after a change. `failedTrials` is undefined unless the change was a trial. */
  function next(verdict: Verdict, failedTrials: number | undefined, log: Log): State {
    if (verdict === "works") return { name: "closed", unknownInRow: 0 };
    if (failedTrials !== undefined)
      return verdict === "not-sent"
        ? { name: "open", until: clock.now(), failedTrials }
        : pause(failedTrials + 1, log);
    if (state.name !== "closed" || verdict !== "unknown") return state;
    const unknownInRow = state.unknownInRow + 1;
    return unknownInRow < maxUnknownInRow ? { name: "closed", unknownInRow } : pause(0, log);
  }

  /** Sends a change, returns whether its room exists, and records the outcome. After a pause, the change is a trial. */
  async function run(
    send: () => Promise<boolean>,
    log: Log,
    ifMissing: Verdict = "rejected",
  ): Promise<boolean> {
    check();
    const failedTrials = state.name === "open" ? state.failedTrials : undefined;
    if (failedTrials !== undefined) state = { name: "trying" };
    let verdict: Verdict = "rejected";
    try {
      const isFound = await send();
      verdict = isFound ? "works" : ifMissing;
      return isFound;
    } catch (error) {
      verdict = verdictOf(error);
      throw error;
    } finally {
      state = next(verdict, failedTrials, log);
      // The platform may use the ID of a deleted room again, for example after a restore.
      if (verdict === "works") repeats = [];
    }
  }

  return {
    check,
    run,
    /** After a pause, repeats a change if it may. Throws if that fails. `startBefore` is in clock milliseconds. */
    async tryFirst(startBefore: number, log: Log): Promise<void> {
      for (;;) {
        check();
        const [repeat, ...others] = repeats;
        if (!repeat || state.name !== "open" || (state.failedTrials + 1) % trialsPerFreshRoom === 0) return;
        repeats = [...others, repeat];
        // The collector may have deleted the room, which says nothing about changes.
        if (await run(async () => repeat(startBefore), log, "not-sent")) return;
        repeats = repeats.filter((other) => other !== repeat);
      }
    },
    /** Adds a change of unknown outcome to repeat. Nobody must be able to receive its room any more. */
    addRepeat(repeat: (startBefore: number) => Promise<boolean>): void {
      repeats = [...repeats, repeat].slice(-maxRepeats);
    },
  };
}

function verdictOf(error: unknown): Verdict {
  if (!(error instanceof PlatformError)) return "rejected";
  if (error.outcome !== "refused") return error.outcome;
  // The platform has read the change. A proxy or a refused login says nothing about changes.
  return error.platformStatus === 400 ? "works" : "rejected";
}
