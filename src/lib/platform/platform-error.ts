/** How a call to the conferencing platform fails: named by what may have happened on the other side. */
import { type FailureCode, GatewayError } from "../errors.ts";

/**
 * `not-sent`: nothing reached the platform. `refused`: it answered 3xx or 4xx and changed nothing.
 * `unknown`: timeout, reset or 5xx; a change may have been made all the same, or may still be made.
 */
export type Outcome = "not-sent" | "refused" | "unknown";

export interface PlatformFailure {
  readonly outcome: Outcome;
  /** For the log: method, path and what happened; never a body or a header. */
  readonly message: string;
  readonly status?: number | undefined;
  readonly isTimeout?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  /** The body of a 400. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

const defaultRetryAfterSeconds = 5;

/** Answered 502 when the platform refused what we built, 503 when it is away, slow or throttling. */
export class PlatformError extends GatewayError {
  override readonly name = "PlatformError";
  readonly outcome: Outcome;
  readonly platformStatus: number | undefined;
  readonly body: unknown;
  /** Whether the platform itself said when to come back. */
  readonly hasRetryAfter: boolean;

  constructor(failure: PlatformFailure) {
    const code = codeOf(failure);
    const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetryAfterSeconds;
    super(code, { cause: failure.cause, ...(code !== "platform-rejected" && { retryAfterSeconds }) });
    this.message = failure.message;
    this.outcome = failure.outcome;
    this.platformStatus = failure.status;
    this.body = failure.body;
    this.hasRetryAfter = failure.retryAfterSeconds !== undefined;
  }
}

function codeOf({ outcome, status, isTimeout }: PlatformFailure): FailureCode {
  if (isTimeout === true) return "platform-timeout";
  return outcome === "refused" && status !== 429 ? "platform-rejected" : "platform-unavailable";
}
