/** Sends one request and converts each failure to an error of the client. */
import * as errors from "./errors.ts";
import type { Runtime } from "./runtime.ts";

export interface Request {
  /** The method and the path, for messages. The query is left out, because it contains the service tag. */
  readonly operation: string;
  readonly url: string;
  readonly init: RequestInit;
  readonly correlationId?: string;
  /** Decides what a 400 and a 404 mean. */
  readonly kind: "token" | "create" | "room" | "other";
  /** Is called when a response has been read, also if it is a failure. */
  readonly onStatus?: (status: number) => void;
}

export interface Reply {
  readonly status: number;
  /** The parsed JSON. Undefined if there is no body. */
  readonly body: unknown;
}

/**
 * Sends the request and reads the response to its end. Throws a GatewayError if the status is not 2xx, the body is not
 * JSON, the signal aborts, or there is no response. Redirects count as no response: they could lead
 * a token elsewhere.
 */
export async function exchange(request: Request, { fetch, now }: Runtime): Promise<Reply> {
  const { operation, correlationId } = request;
  let response: Response;
  let text: string;
  try {
    const init: RequestInit = { redirect: "error", credentials: "omit", cache: "no-store" };
    response = await fetch(request.url, { ...init, ...request.init });
    text = await response.text();
  } catch (cause) {
    throw new errors.NoResponseError({ operation, correlationId, cause });
  }
  const { ok, status, headers } = response;
  request.onStatus?.(status);
  const body = parseJson(text);
  if (ok && (body !== undefined || text === "")) return { status, body };
  // Any server has a 404, and a create may be sent again after one of the gateway. A browser may not see this header.
  const isOfGateway = headers.has("x-invocation-id") || headers.has("retry-after");
  throw toError(body, request.kind === "create" && status === 404 && !isOfGateway ? "other" : request.kind, {
    operation,
    correlationId: headers.get("x-correlation-id") ?? correlationId,
    status,
    retryAfterSeconds: parseRetryAfter(headers.get("retry-after"), now()),
    detail: detailOf(body, headers, request.kind),
  });
}

/** Returns why the request failed: https://www.rfc-editor.org/rfc/rfc6749#section-5.2, rfc6750#section-3 */
function detailOf(body: unknown, headers: Headers, kind: Request["kind"]): string | undefined {
  const isObject = typeof body === "object" && body !== null;
  if (kind === "token" && !isObject) return "the response is not JSON";
  const { detail, error, error_description: description } = (isObject ? body : {}) as Record<string, unknown>;
  const reason = /error_description="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
  const text = kind === "token" ? (description ?? error) : (reason ?? detail);
  // Providers append lines with identifiers and times.
  return typeof text === "string" ? text.split(/[\r\n]/, 1)[0]?.slice(0, 300) : undefined;
}

const classes = new Map<number, new (details: errors.FailureDetails) => errors.GatewayError>([
  [401, errors.NotAuthenticatedError],
  [403, errors.NotAuthorizedError],
  [429, errors.RateLimitedError],
  [503, errors.UnavailableError],
  [504, errors.UnavailableError],
]);

function toError(body: unknown, kind: Request["kind"], details: errors.FailureDetails): errors.GatewayError {
  const { status = 0, retryAfterSeconds } = details;
  const isMissing = status === 404 && (kind === "create" || kind === "room");
  if (isMissing && kind === "create" && retryAfterSeconds !== undefined)
    return new errors.PoolEmptyError(details);
  if (isMissing) return new errors.RoomGoneError(details);
  if (status === 422) return new errors.RejectedFieldError(rejectedFields(body), details);
  // A token endpoint refuses a client with 400 or 401: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
  if (status === 400 && kind === "token") return new errors.NotAuthenticatedError(details);
  const ErrorClass = classes.get(status) ?? errors.UnexpectedResponseError;
  return new ErrorClass(details);
}

/** Parses seconds or an HTTP date. Returns undefined for anything else. */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

const places = ["body", "query", "path", "header"] as const;

/** Reads `detail` of a validation error. Its `input` is left out, because it can contain the service tag. */
function rejectedFields(body: unknown): errors.RejectedField[] {
  const { detail } = (body ?? {}) as { detail?: unknown };
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((fault: { loc?: unknown; msg?: unknown } | null) => {
    if (!Array.isArray(fault?.loc)) return [];
    const [where, ...path] = fault.loc.map(String);
    const place = places.find((known) => known === where) ?? "body";
    const reason = typeof fault.msg === "string" ? fault.msg.replace(/^Value error, /, "") : "not valid";
    return [{ name: path.join(".") || place, in: place, reason }];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
