/** Every failure the gateway expects: its status, what the caller may read, and the one class that carries it. */
import type { ValidationFault } from "./http/validation-fault.ts";

const failures = {
  "invalid-request": { status: 422, detail: undefined },
  unauthenticated: { status: 401, detail: "Not authenticated" },
  forbidden: { status: 403, detail: "Not allowed" },
  "room-not-found": { status: 404, detail: undefined },
  "pool-exhausted": { status: 404, detail: undefined },
  "length-required": { status: 411, detail: "Send the body with a Content-Length header" },
  "body-too-large": { status: 413, detail: "The body is too large" },
  "platform-rejected": { status: 502, detail: "The conferencing platform refused the request" },
  "platform-unavailable": { status: 503, detail: "The conferencing platform cannot be reached" },
  "platform-timeout": { status: 503, detail: "The conferencing platform did not answer in time" },
  "storage-unavailable": { status: 503, detail: "The room queues cannot be reached" },
  "identity-provider-unavailable": { status: 503, detail: "The token cannot be checked at the moment" },
  "contact-centre-unavailable": { status: 503, detail: "The token cannot be checked at the moment" },
  "claim-failed": { status: 503, detail: "No room could be secured, try again" },
  "bulk-delete-incomplete": { status: 503, detail: "Not all rooms are deleted yet, send the request again" },
} as const;

/** The closed list of expected failures; a new one needs a status in the table above. */
export type FailureCode = keyof typeof failures;

export interface FailureDetails {
  /** What went wrong, for the log only. */
  cause?: unknown;
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Sent as `WWW-Authenticate`. */
  challenge?: string;
  /** The faults of a 422. */
  faults?: readonly ValidationFault[];
}

/** An expected failure: what the caller reads is fixed by `code`, the cause is for the log alone. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, details: FailureDetails = {}) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** The status that answers a failure; the source of the API document's statuses. */
export function statusOf(code: FailureCode): number {
  return failures[code].status;
}

/** The fixed text that a caller reads, or undefined where the answer has no such text (404, 422). */
export function publicDetailOf(code: FailureCode): string | undefined {
  return failures[code].detail;
}
