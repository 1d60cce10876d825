/** Pauses the changes of claims while their outcomes stay unknown, because each of these costs a room. */
import type { Log } from "../log.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import type { Clock } from "../ports.ts";

const maxUnknownInRow = 3;
const pauseSeconds = 10;
const pauseSecondsAfterAttempt = 60;

/**
 * Creates a circuit breaker (https://martinfowler.com/bliki/CircuitBreaker.html). Three unknown outcomes in a row open
 * it. After the pause it is half-open: one claim sends its change, which closes it or opens it again.
 */
export function createBreaker(clock: Pick<Clock, "now">) {
  let state: "closed" | "open" | "half-open" = "closed";
  let unknownInRow = 0;
  let openUntil = 0;

  /** Throws a PlatformError that says "not sent" while no change may be sent. */
  function check(): void {
    if (state === "closed") return;
    const milliseconds = state === "half-open" ? 1 : openUntil - clock.now();
    // A clock that is set back ends the pause.
    if (milliseconds <= 0 || milliseconds > pauseSecondsAfterAttempt * 1000) return;
    throw new PlatformError({
      outcome: "not-sent",
      message: "assignments are paused after several unknown outcomes",
      retryAfterSeconds: Math.ceil(milliseconds / 1000),
    });
  }

  function open(seconds: number, log: Log): void {
    log.error("assignments-paused", { seconds });
    state = "open";
    openUntil = clock.now() + seconds * 1000;
  }

  function close(): void {
    state = "closed";
    unknownInRow = 0;
  }

  function onFailure(error: unknown, isAttempt: boolean, log: Log): void {
    if (!(error instanceof PlatformError)) return;
    // The platform has read the change. A 400 of a proxy names no field.
    if (rejectedFields(error).length > 0) close();
    if (error.outcome !== "unknown") return;
    if (isAttempt) open(pauseSecondsAfterAttempt, log);
    // A change that was sent before the pause does not make it longer.
    else if (state === "closed" && ++unknownInRow >= maxUnknownInRow) open(pauseSeconds, log);
  }

  return {
    check,
    /** Sends a change. Returns undefined if the room does not exist. Throws what the change throws. */
    async run<Result>(change: () => Promise<Result | undefined>, log: Log): Promise<Result | undefined> {
      check();
      const isAttempt = state === "open";
      if (isAttempt) state = "half-open";
      try {
        const result = await change();
        if (result !== undefined) close();
        return result;
      } catch (error) {
        onFailure(error, isAttempt, log);
        throw error;
      } finally {
        // A room that is gone and a change that was refused or not sent say nothing, so the next claim sends its
        // change.
        if (isAttempt && state === "half-open") state = "open";
      }
    },
  };
}
