/** Error classes for failed calls. No message contains a token, a PIN or a service tag. */

export interface FailureDetails {
  /** The method and the path, for example `GET /room/abc`. */
  readonly operation: string;
  /** The ID to quote when reporting a problem. Token requests have none. */
  readonly correlationId?: string | undefined;
  /** The HTTP status. Undefined if there was no response. */
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** What the server or the network says about the failure. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** A failed call. Each is an instance of one of the classes below. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly operation: string;
  readonly correlationId: string | undefined;
  readonly status: number | undefined;
  /** The seconds after which the call may be retried. Undefined if the response does not say so. */
  readonly retryAfterSeconds: number | undefined;
  /** What the gateway, the identity provider or the network says about the failure. The text is for people and may change. */
  readonly detail: string | undefined;
  /** The number of attempts that the call has made. */
  attempts = 1;
  /** The key that a failed create was sent with. A later create with this key gets the same room, if there is one. */
  idempotencyKey: string | undefined;

  constructor(reason: string, details: FailureDetails) {
    const { operation, correlationId, status, retryAfterSeconds, detail, cause } = details;
    const id = correlationId === undefined ? "" : `, correlation ID ${correlationId}`;
    const why = detail === undefined ? "" : `: ${detail}`;
    super(
      `${operation}: ${reason}${why} (${status ?? "no response"}${id})`,
      cause === undefined ? {} : { cause },
    );
    this.operation = operation;
    this.correlationId = correlationId;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.detail = detail;
  }
}

/** A create found the pool empty. A room has been requested. */
export class PoolEmptyError extends GatewayError {
  override readonly name = "PoolEmptyError";
  constructor(details: FailureDetails) {
    super("the pool is empty", details);
  }
}

/** There is no room of this name, or the room of this idempotency key has been deleted. */
export class RoomGoneError extends GatewayError {
  override readonly name = "RoomGoneError";
  constructor(details: FailureDetails) {
    super("there is no such room", details);
  }
}

export interface RejectedField {
  /** The field of the body, the parameter or the header. */
  readonly name: string;
  readonly in: "body" | "query" | "path" | "header";
  readonly reason: string;
}

/** The gateway rejected the input. The same call fails again. */
export class RejectedFieldError extends GatewayError {
  override readonly name = "RejectedFieldError";
  readonly fields: readonly RejectedField[];
  constructor(fields: readonly RejectedField[], details: FailureDetails) {
    super(`rejected: ${fields.map((field) => `${field.name} (${field.reason})`).join("; ")}`, details);
    this.fields = fields;
  }
}

/** The credentials are missing, expired or not valid for this environment. */
export class NotAuthenticatedError extends GatewayError {
  override readonly name = "NotAuthenticatedError";
  constructor(details: FailureDetails) {
    super("the credentials are not valid", details);
  }
}

/** The caller is known but not allowed: its client, role or division. */
export class NotAuthorizedError extends GatewayError {
  override readonly name = "NotAuthorizedError";
  constructor(details: FailureDetails) {
    super("the caller is not allowed", details);
  }
}

/** The gateway or a service behind it is unavailable. A create may have handed out a room: see `idempotencyKey`. */
export class UnavailableError extends GatewayError {
  override readonly name: string = "UnavailableError";
  constructor(details: FailureDetails, reason = "unavailable") {
    super(reason, details);
  }
}

/** There was no response: the connection failed or timed out. The outcome is unknown. */
export class NoResponseError extends UnavailableError {
  override readonly name = "NoResponseError";
  constructor(details: FailureDetails) {
    // A page cannot tell a refused origin from a failed connection: https://fetch.spec.whatwg.org/#concept-network-error
    const reason =
      "document" in globalThis ? "failed, timed out or is refused by CORS" : "failed or timed out";
    super({ detail: innermostCause(details.cause), ...details }, `the connection ${reason}`);
  }
}

/** The rate limit is exceeded. */
export class RateLimitedError extends UnavailableError {
  override readonly name = "RateLimitedError";
  constructor(details: FailureDetails) {
    super(details, "the rate limit is exceeded");
  }
}

/** A response that the contract does not explain, such as 500 or 502. Report it with its correlation ID. */
export class UnexpectedResponseError extends GatewayError {
  override readonly name = "UnexpectedResponseError";
  constructor(details: FailureDetails) {
    super("unexpected response", details);
  }
}

/** Returns the innermost cause of a failed connection, such as `ECONNREFUSED`. */
function innermostCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as { code?: unknown };
  return innermostCause(cause.cause) ?? (typeof code === "string" ? code : cause.message);
}
