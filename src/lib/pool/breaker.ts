/** Pauses the changes of claims while their outcomes stay unknown, because each of these costs a room. */
import type { Log } from "../log.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Clock } from "../ports.ts";

const maxUnknownInRow = 3;
const pauseSeconds = 10;
// The platform stores only changes that change nothing, so each further attempt would cost a room.
const pauseSecondsAfterTrial = 60;

/** Changes a room. Resolves to undefined if the room does not exist. */
type Change<Result> = () => Promise<Result | undefined>;

/** A trial with an unknown outcome. The change that waited for it was not sent. */
export class TrialError extends PlatformError {}

/**
 * Creates a breaker. Three unknown outcomes in a row stop all changes for ten seconds. Then one claim makes a trial: a
 * change that alters nothing, so it costs no room, whatever becomes of it. If the trial works, the change of that claim
 * decides alone whether changes go on.
 */
export function createBreaker(clock: Pick<Clock, "now">) {
  let unknownInRow = 0;
  /** Undefined if changes may be sent. */
  let pausedUntil: number | undefined;
  let isTrying = false;

  /** Throws a PlatformError that says "not sent" while no change may be sent. */
  function check(): void {
    const milliseconds = isTrying ? 1 : (pausedUntil ?? 0) - clock.now();
    // A clock that is set back ends the pause.
    if (milliseconds <= 0 || milliseconds > pauseSecondsAfterTrial * 1000) return;
    throw new PlatformError({
      outcome: "not-sent",
      message: "assignments are paused after several unknown outcomes",
      retryAfterSeconds: Math.ceil(milliseconds / 1000),
    });
  }

  function pause(seconds: number, log: Log): void {
    log.error("assignments-paused", { seconds });
    pausedUntil = clock.now() + seconds * 1000;
  }

  function resume(): void {
    pausedUntil = undefined;
    unknownInRow = 0;
  }

  /** Sends a change and calls `onUnknown` if its outcome is unknown. */
  async function send<Result>(change: Change<Result>, onUnknown: () => void): Promise<Result | undefined> {
    try {
      const result = await change();
      if (result !== undefined) resume();
      return result;
    } catch (error) {
      if (isFieldRejection(error)) resume();
      else if (error instanceof PlatformError && error.outcome === "unknown") onUnknown();
      throw error;
    }
  }

  function countUnknown(log: Log): void {
    if (pausedUntil === undefined && ++unknownInRow >= maxUnknownInRow) pause(pauseSeconds, log);
  }

  /** Returns whether the trial's room exists. Throws if the platform has not carried out the trial. */
  async function makeTrial(trial: Change<unknown>, log: Log): Promise<boolean> {
    try {
      return (await trial()) !== undefined;
    } catch (error) {
      if (isFieldRejection(error)) return true;
      if (!(error instanceof PlatformError) || error.outcome === "not-sent") throw error;
      pause(pauseSeconds, log);
      if (error.outcome === "refused") throw error;
      const message = `trial: ${error.message}`;
      throw new TrialError({ outcome: "not-sent", message, retryAfterSeconds: pauseSeconds, cause: error });
    }
  }

  return {
    check,
    /**
     * Sends a change, after a trial if one is due. Returns undefined if the room does not exist. Throws what the change or
     * the trial throws, and TrialError.
     */
    async run<Result>(change: Change<Result>, trial: Change<unknown>, log: Log): Promise<Result | undefined> {
      check();
      if (pausedUntil === undefined) return send(change, () => countUnknown(log));
      isTrying = true;
      try {
        // A room that is gone says nothing about changes.
        if (!(await makeTrial(trial, log))) return undefined;
        return await send(change, () => pause(pauseSecondsAfterTrial, log));
      } finally {
        isTrying = false;
      }
    },
  };
}

/** Whether the platform has read the change. A 400 of a proxy names no field. */
function isFieldRejection(error: unknown): boolean {
  return error instanceof PlatformError && error.outcome === "refused" && rejectedFields(error).length > 0;
}
