/** Classifies failed platform calls by what may have happened on the platform. */
import * as z from "zod";
import { type FailureCode, GatewayError } from "../errors.ts";

/**
 * `not-sent`: nothing reached the platform. `refused`: it returned 3xx or 4xx and changed nothing.
 * `unknown`: timeout, reset, 5xx or a page instead of JSON; a change may have been made or may still be made.
 *
 * The HTTP status follows from it: refused → 502, except 429 and a refused login → 503; not sent, unknown or a
 * timeout → 503.
 */
export type Outcome = "not-sent" | "refused" | "unknown";

export interface PlatformFailure {
  readonly outcome: Outcome;
  /** For the log: method, path and what happened. Never contains a body or a header. */
  readonly message: string;
  /** Missing if the call is not about a room, such as the request for a token. */
  readonly method?: string | undefined;
  readonly status?: number | undefined;
  readonly isTimeout?: boolean;
  /** Whether it was too late to send the call, because others or slow calls before it took too long. */
  readonly isBusy?: boolean;
  /** Whether the platform refused the gateway's login, which only the operator can correct. */
  readonly isLoginRefused?: boolean;
  readonly isIntercepted?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  /** The body of a 400 response. */
  readonly body?: unknown;
  readonly cause?: unknown;
  /** The code of the network layer. */
  readonly networkCode?: string | undefined;
}

const defaultRetryAfterSeconds = 5;
const loginRetryAfterSeconds = 30;
const maxRetryAfterSeconds = 60;

/**
 * A failed call. Callers receive 502 if the platform refused it, and 503 if the platform is unreachable, slow or
 * throttling, or refused the gateway's login.
 */
export class PlatformError extends GatewayError {
  override readonly name = "PlatformError";
  readonly outcome: Outcome;
  readonly platformStatus: number | undefined;
  readonly body: unknown;
  /**
   * Whether the response was a redirect or a page, so that something between the gateway and the platform may have sent
   * it, even after the platform has carried out the call.
   */
  readonly isIntercepted: boolean;
  /** Whether the platform's response contained `Retry-After`. */
  readonly hasRetryAfter: boolean;

  constructor(failure: PlatformFailure) {
    const code = codeOf(failure);
    const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetryAfter(code);
    const failedCall = {
      platformMethod: failure.method,
      platformStatus: failure.status,
      platformError: failure.networkCode,
    };
    super(code, {
      cause: failure.cause,
      failedCall,
      ...(code !== "platform-rejected" && { retryAfterSeconds }),
    });
    this.message = code === "platform-login-refused" ? `${failure.message}: login refused` : failure.message;
    this.outcome = failure.outcome;
    this.platformStatus = failure.status;
    this.body = failure.body;
    this.isIntercepted = failure.isIntercepted === true;
    this.hasRetryAfter = failure.retryAfterSeconds !== undefined;
  }
}

function defaultRetryAfter(code: FailureCode): number {
  return code === "platform-login-refused" ? loginRetryAfterSeconds : defaultRetryAfterSeconds;
}

function codeOf({ outcome, status, isTimeout, isBusy, isLoginRefused }: PlatformFailure): FailureCode {
  if (isBusy === true) return "gateway-busy";
  if (isTimeout === true) return "platform-timeout";
  if (isLoginRefused === true) return "platform-login-refused";
  return outcome === "refused" && status !== 429 ? "platform-rejected" : "platform-unavailable";
}

/** The part of a request that log lines contain. */
interface NamedRequest {
  readonly method: string;
  readonly path: string;
}

// Failures of name resolution, connecting and TLS: the request was never written.
const notSentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|CONNECT_TIMEOUT|ERR_SSL_WRONG_VERSION_NUMBER)$|^(?:ERR_TLS|CERT|UNABLE_TO)_|_CERT|_ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION)$/;
const timeoutCodes = ["ETIMEDOUT", "CONNECT_TIMEOUT"];

/** Returns the failure for a missing response. */
export function transportFailure(request: NamedRequest, cause: unknown): PlatformError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new PlatformError({
    outcome: notSentCodes.test(code) ? "not-sent" : "unknown",
    isTimeout: timeoutCodes.includes(code),
    message: `${nameOf(request)}: ${code || "no response"}`,
    method: request.method,
    networkCode: code || undefined,
    cause,
  });
}

/** Returns the failure for a response without a 2xx status, or with a page instead of JSON. */
export function responseFailure(
  request: NamedRequest,
  response: { status: number; headers: Readonly<Record<string, unknown>>; body: unknown },
): PlatformError {
  const { status, headers } = response;
  const retryAfter = Number(headers["retry-after"]);
  const body = status === 400 ? response.body : undefined;
  // Names only: values may be PINs or service tags.
  const fields = rejectedFields({ body });
  return new PlatformError({
    method: request.method,
    outcome: status >= 300 && status < 500 ? "refused" : "unknown",
    status,
    isIntercepted: (status >= 300 && status < 400) || isPage(response.body),
    isLoginRefused: [401, 403].includes(status) || isLoginPage(status, headers["location"]),
    message: `${nameOf(request)}: status ${status}${fields.length > 0 ? `, fields ${fields.join(", ")}` : ""}`,
    retryAfterSeconds: retryAfter > 0 ? Math.min(maxRetryAfterSeconds, Math.ceil(retryAfter)) : undefined,
    body,
  });
}

/** Returns whether a body is a text that is neither empty nor JSON. */
export function isPage(body: unknown): boolean {
  return typeof body === "string" && body !== "";
}

/** The platform redirects to this page instead of returning 401 if the session or the account is not valid. */
function isLoginPage(status: number, location: unknown): boolean {
  return status >= 300 && status < 400 && typeof location === "string" && /\/log-?in\b/i.test(location);
}

/** Returns method and path, as log lines name a request. */
export function nameOf({ method, path }: NamedRequest): string {
  return `${method} ${path}`;
}

// The platform names the faults of a conference's aliases under a resource of their own.
const Fields = z.record(z.string(), z.unknown()).catch({});
const Rejection = z.object({ conference: Fields, conference_alias: Fields });

/**
 * Returns the names in a 400 response of the conference resource; `__all__` stands for the conference as a whole.
 * Returns none for any other failure, including a 400 from a login page or a proxy.
 */
export function rejectedFields({ body }: Pick<PlatformError, "body">): string[] {
  const rejection = Rejection.safeParse(body).data;
  if (rejection === undefined) return [];
  const fields = [...Object.keys(rejection.conference), ...Object.keys(rejection.conference_alias)];
  return fields.filter((field) => /^[a-z_]{1,64}$/.test(field));
}

/** Returns what the log says about a failed call: class, status and rejected fields; never a value from the body. */
export function describeFailure(error: unknown): Readonly<Record<string, string | number | null>> {
  if (!(error instanceof PlatformError)) return { failure: "unexpected" };
  const fields = rejectedFields(error);
  return {
    failure: error.code,
    status: error.platformStatus ?? null,
    ...(fields.length > 0 && { rejectedFields: fields.join(",") }),
  };
}
