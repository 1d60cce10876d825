/** Failures of calls to the conferencing platform, named by what may have happened on the platform. */
import { type FailureCode, GatewayError } from "../errors.ts";

/**
 * `not-sent`: nothing reached the platform. `refused`: it returned 3xx or 4xx and changed nothing.
 * `unknown`: timeout, reset or 5xx; a change may have been made or may still be made.
 *
 * The HTTP status follows from it: refused → 502, except 429 and a refused login → 503; not sent, unknown or a
 * timeout → 503.
 */
export type Outcome = "not-sent" | "refused" | "unknown";

/** How a call failed. */
export interface PlatformFailure {
  readonly outcome: Outcome;
  /** For the log: method, path and what happened. Never contains a body or a header. */
  readonly message: string;
  readonly status?: number | undefined;
  readonly isTimeout?: boolean;
  /** Whether the platform refused the gateway's login, which only the operator can correct. */
  readonly isLoginRefused?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  /** The body of a 400 response. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

const defaultRetryAfterSeconds = 5;
const loginRetryAfterSeconds = 30;

/**
 * A failed call. Callers receive 502 if the platform refused it, and 503 if the platform is unreachable, slow or
 * throttling, or refused the gateway's login.
 */
export class PlatformError extends GatewayError {
  override readonly name = "PlatformError";
  readonly outcome: Outcome;
  readonly platformStatus: number | undefined;
  readonly body: unknown;
  /** Whether the platform's response contained `Retry-After`. */
  readonly hasRetryAfter: boolean;

  constructor(failure: PlatformFailure) {
    const code = codeOf(failure);
    const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetryAfter(code);
    super(code, { cause: failure.cause, ...(code !== "platform-rejected" && { retryAfterSeconds }) });
    this.message = code === "platform-login-refused" ? `${failure.message}: login refused` : failure.message;
    this.outcome = failure.outcome;
    this.platformStatus = failure.status;
    this.body = failure.body;
    this.hasRetryAfter = failure.retryAfterSeconds !== undefined;
  }
}

function defaultRetryAfter(code: FailureCode): number {
  return code === "platform-login-refused" ? loginRetryAfterSeconds : defaultRetryAfterSeconds;
}

function codeOf({ outcome, status, isTimeout, isLoginRefused }: PlatformFailure): FailureCode {
  if (isTimeout === true) return "platform-timeout";
  if (isLoginRefused === true) return "platform-login-refused";
  return outcome === "refused" && status !== 429 ? "platform-rejected" : "platform-unavailable";
}
