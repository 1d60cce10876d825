/** Every failure that the gateway expects: its status, the text that the caller reads, and the error class. */
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

/** The closed list of expected failures. Adding a code means adding its status to the table above. */
export type FailureCode = keyof typeof failures;

/** What a failure carries in addition to its code. */
export interface FailureDetails {
  /** What went wrong. It is logged and never sent. */
  cause?: unknown;
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Sent as `WWW-Authenticate`. */
  challenge?: string;
  /** The faults listed in a 422 response. */
  faults?: readonly ValidationFault[];
}

/** An expected failure. The caller reads the fixed text of `code`; the cause is only logged. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly code: FailureCode;
  readonly details: FailureDetails;

  constructor(code: FailureCode, details: FailureDetails = {}) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  /** The HTTP status of the response. */
  get status(): number {
    return failures[this.code].status;
  }
}

/** Returns the HTTP status of a failure. The API document's statuses come from here. */
export function statusOf(code: FailureCode): number {
  return failures[code].status;
}

/** Returns the fixed text that a caller reads, or undefined if the response has none (404, 422). */
export function publicDetailOf(code: FailureCode): string | undefined {
  return failures[code].detail;
}
