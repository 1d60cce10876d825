/** Classifies failed platform calls by what may have happened on the platform. */
import * as z from "zod";
import { type FailureCode, GatewayError } from "../errors.ts";
import { NoResponseError } from "../http-client.ts";

/**
 * `not-sent`: nothing reached the platform. `refused`: it, or something in between, returned 3xx or 4xx.
 * `unknown`: timeout, reset, 5xx or a 2xx that is not the platform's; a change may have been made or may still be made.
 *
 * The HTTP status follows from it: refused by the platform → 502, except 429 and a refused login → 503; everything else
 * → 503.
 */
export type Outcome = "not-sent" | "refused" | "unknown";

export interface PlatformFailure {
  readonly outcome: Outcome;
  /** For the log: method, path and what happened. Never contains a body or a header. */
  readonly message: string;
  /** Missing during a pause, for several calls together, and if a token was refused. */
  readonly method?: string | undefined;
  readonly status?: number | undefined;
  /** Whether the response is not in the platform's form, so that a proxy or a firewall has probably sent it. */
  readonly isForeign?: boolean;
  /** Whether the platform refused a token, so that the status is not that of the call. */
  readonly isTokenRefused?: boolean;
  /** Without it, the code follows from the outcome: `platform-rejected` or `platform-unavailable`. */
  readonly code?: "gateway-busy" | "platform-timeout" | "platform-login-refused" | undefined;
  /** Whether it has accepted the login just before, so that this refusal may be a failure of its directory. */
  readonly isFirstRefusal?: boolean;
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
  /** The platform's own response to the call. The log also has the status of another response. */
  readonly platformStatus: number | undefined;
  readonly body: unknown;
  /** Whether the platform's response contained `Retry-After`. */
  readonly hasRetryAfter: boolean;

  constructor(failure: PlatformFailure) {
    const code = failure.code ?? codeOf(failure);
    const retryAfterSeconds = failure.retryAfterSeconds ?? defaultRetryAfter(code, failure);
    const failedCall = {
      platformMethod: failure.method,
      platformStatus: failure.status,
      platformError: failure.isForeign === true ? "NOT_FROM_PLATFORM" : failure.networkCode,
      rejectedFields: rejectedFields(failure).join(",") || undefined,
    };
    super(code, {
      cause: failure.cause,
      failedCall,
      ...(code !== "platform-rejected" && { retryAfterSeconds }),
    });
    this.message = code === "platform-login-refused" ? `${failure.message}: login refused` : failure.message;
    this.outcome = failure.outcome;
    const isOfCall = failure.isForeign !== true && failure.isTokenRefused !== true;
    this.platformStatus = isOfCall ? failure.status : undefined;
    this.body = failure.body;
    this.hasRetryAfter = failure.retryAfterSeconds !== undefined;
  }
}

function defaultRetryAfter(code: FailureCode, { isFirstRefusal }: PlatformFailure): number {
  const isLasting = code === "platform-login-refused" && isFirstRefusal !== true;
  return isLasting ? loginRetryAfterSeconds : defaultRetryAfterSeconds;
}

function codeOf({ outcome, status, isForeign }: PlatformFailure): FailureCode {
  const isRejected = outcome === "refused" && isForeign !== true && status !== 429;
  return isRejected ? "platform-rejected" : "platform-unavailable";
}

/** The part of a request that log lines contain. */
interface NamedRequest {
  readonly method: string;
  readonly path: string;
}

// What django-tastypie 0.15.1, the framework of the platform's API, returns (tastypie/resources.py and http.py).
const successes: Readonly<Record<string, number>> = { GET: 200, POST: 201, PATCH: 202, DELETE: 204 };
const refusals = [400, 401, 403, 404, 405, 409, 410, 422];

interface StatusAndBody {
  readonly status: number;
  readonly body: unknown;
}

/** Returns whether the platform says that it did what was asked. */
export function isSuccess({ method }: NamedRequest, { status, body }: StatusAndBody): boolean {
  return status === successes[method] && !isPage(body);
}

/** Returns whether the platform itself refused the call: in JSON, or without a body. Others send pages. */
export function isRefusal({ status, body }: StatusAndBody): boolean {
  return status === 429 || (refusals.includes(status) && !isPage(body));
}

const timeoutCodes = ["ETIMEDOUT", "CONNECT_TIMEOUT", "LOOKUP_TIMEOUT"];

/** Returns the failure for a missing response. A call whose token request failed was not sent. */
export function transportFailure(request: NamedRequest, cause: unknown, outcome?: Outcome): PlatformError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new PlatformError({
    outcome: outcome ?? (cause instanceof NoResponseError && !cause.isSent ? "not-sent" : "unknown"),
    code: timeoutCodes.includes(code) ? "platform-timeout" : undefined,
    message: `${nameOf(request)}: ${code || "no response"}`,
    method: request.method,
    networkCode: code || undefined,
    cause,
  });
}

/** Classifies a response that does not mean success: another status than 2xx, or a body of something in between. */
export function responseFailure(
  request: NamedRequest,
  response: { status: number; headers: Readonly<Record<string, unknown>>; body: unknown },
  isFirstRefusal = false,
): PlatformError {
  const { status, headers } = response;
  const isLogin = isLoginPage(status, headers["location"]);
  const isOwn = status >= 500 || isLogin || isRefusal(response);
  const isLoginRefused = isLogin || status === 401 || (status === 403 && isOwn);
  const retryAfter = Number(headers["retry-after"]);
  const body = status === 400 && isOwn ? response.body : undefined;
  // Names only: values may be PINs or service tags.
  const fields = rejectedFields({ body });
  return new PlatformError({
    method: request.method,
    outcome: status >= 300 && status < 500 ? "refused" : "unknown",
    status,
    isForeign: !isOwn,
    isFirstRefusal,
    code: isLoginRefused ? "platform-login-refused" : undefined,
    message: `${nameOf(request)}: status ${status}${fields.length > 0 ? `, fields ${fields.join(", ")}` : ""}`,
    retryAfterSeconds: retryAfter > 0 ? Math.min(maxRetryAfterSeconds, Math.ceil(retryAfter)) : undefined,
    body,
  });
}

/** Returns whether a body is a text that is neither empty nor JSON. */
function isPage(body: unknown): boolean {
  return typeof body === "string" && body !== "";
}

/**
 * The platform redirects to this page instead of returning 401 if the session or the account is not valid. The
 * transport gives it as a path: another host's login page is a proxy's.
 */
function isLoginPage(status: number, location: unknown): boolean {
  const isPath = typeof location === "string" && /^\/(?!\/)/.test(location);
  return status >= 300 && status < 400 && isPath && /\/log-?in\b/i.test(location);
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
export function rejectedFields({ body }: Pick<PlatformFailure, "body">): string[] {
  const rejection = Rejection.safeParse(body).data;
  if (rejection === undefined) return [];
  const fields = [...Object.keys(rejection.conference), ...Object.keys(rejection.conference_alias)];
  return fields.filter((field) => /^[a-z_]{1,64}$/.test(field));
}
