/** Every expected failure, with its status and its text for the caller. */

const keyReused = {
  type: "value_error",
  loc: ["header", "idempotency-key"],
  msg: "Value error, this key was used with another uuiData",
  ctx: { error: {} },
} as const satisfies ValidationFault;

/** Every failure by its code. A 404 has no body, and a 422 has faults instead of a text. */
export const failures = {
  "invalid-request": { status: 422, detail: undefined },
  "key-reused": { status: 422, detail: [keyReused] },
  unauthenticated: { status: 401, detail: "Not authenticated" },
  forbidden: { status: 403, detail: "Not allowed" },
  "room-not-found": { status: 404, detail: undefined },
  "pool-exhausted": { status: 404, detail: undefined },
  "length-required": { status: 411, detail: "Send the body with a Content-Length header" },
  "body-too-large": { status: 413, detail: "The body is too large" },
  "platform-rejected": { status: 502, detail: "The conferencing platform rejected the request" },
  "gateway-busy": { status: 503, detail: "The gateway is busy; retry the request" },
  "platform-unavailable": { status: 503, detail: "The conferencing platform cannot be reached" },
  "platform-login-refused": { status: 503, detail: "The conferencing platform cannot be used at the moment" },
  "platform-timeout": { status: 503, detail: "The conferencing platform did not respond in time" },
  "storage-unavailable": { status: 503, detail: "The room queues cannot be reached" },
  "identity-provider-unavailable": { status: 503, detail: "The token cannot be checked at the moment" },
  "contact-centre-unavailable": { status: 503, detail: "The token cannot be checked at the moment" },
  "claim-failed": { status: 503, detail: "Could not allocate a room; retry the request" },
  "bulk-delete-incomplete": { status: 503, detail: "Not all rooms have been deleted; retry the request" },
} as const;

/** The failures of every operation that calls the platform. */
export const platformFailures = [
  "platform-rejected",
  "gateway-busy",
  "platform-unavailable",
  "platform-login-refused",
  "platform-timeout",
] as const;

/** The closed list of expected failures. A new one needs a status in the table above. */
export type FailureCode = keyof typeof failures;

/** One entry of an HTTPValidationError (https://fastapi.tiangolo.com/reference/openapi/models/). */
export interface ValidationFault {
  /** The place of the fault: `["query", "max_vmr"]`, `["body", "aliases", 0, "id"]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The optional details of a failure. */
export interface FailureDetails {
  /** The call behind the failure, as log lines name it. Only logged, never sent. */
  readonly failedCall?: {
    readonly platformMethod?: string | undefined;
    /** Missing if there was no response. */
    readonly platformStatus?: number | undefined;
    readonly contactCentreStatus?: number | undefined;
    /**
     * The code of the network layer, such as `ECONNREFUSED`, or `NOT_FROM_PLATFORM` for a response of something else.
     */
    readonly platformError?: string | undefined;
    /** The fields that the platform rejected, separated by commas. */
    readonly rejectedFields?: string | undefined;
  };
  /** The error behind the failure. Only logged, never sent. */
  readonly cause?: unknown;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Sent as `WWW-Authenticate`. */
  readonly challenge?: string;
  /** Why a caller was refused. Only logged, never sent. */
  readonly reason?: string;
  /** The room that was not found, as log lines name it. Only logged, never sent. */
  readonly room?: string;
  /** The faults of a 422. */
  readonly faults?: readonly ValidationFault[];
}

/** An expected failure. `code` determines what the caller reads; the cause is only logged. */
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
