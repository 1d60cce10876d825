/** One HTTP exchange with the platform: timeout, no redirects, no proxy, and failures named by their outcome. */
import { Agent } from "undici";
import { type HttpResponse, sendHttp } from "../http-call.ts";
import { countCall } from "../outbound-calls.ts";
import { withTimeout } from "../timeout.ts";
import { PlatformError } from "./platform-error.ts";
import { rejectedFields } from "./rejected-fields.ts";

/** One HTTP request to the platform. */
export interface PlatformRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below the platform's address, with its trailing slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Defaults to the setting. */
  readonly timeoutSeconds?: number;
}

/** A response of any status. A body that is not JSON is a string. */
export interface PlatformHttpResponse extends Pick<HttpResponse, "status" | "headers"> {
  readonly body: unknown;
}

/** Sends one request with this Authorization header. Returns any response; throws PlatformError if there is none. */
export type Exchange = (request: PlatformRequest, authorization: string) => Promise<PlatformHttpResponse>;

// Idle connections are closed before a server's usual 5 s: a call on one just closed has an unknown outcome.
const idleMilliseconds = 4000;
const maxResponseBytes = 64 * 1024 * 1024;
const jsonBody = { "content-type": "application/json" };

/** Creates the exchange with the platform at `url`. Connections are kept alive and reused. */
export function createExchange(url: string, timeoutSeconds: number): Exchange {
  const dispatcher = new Agent({
    keepAliveTimeout: idleMilliseconds,
    keepAliveMaxTimeout: idleMilliseconds,
    maxResponseSize: maxResponseBytes,
  });
  const send = async (request: PlatformRequest, authorization: string, signal: AbortSignal) => {
    const { status, headers, text } = await sendHttp(`${url}${request.path}`, {
      dispatcher,
      method: request.method,
      headers: { ...(request.body === undefined ? {} : jsonBody), accept: "application/json", authorization },
      ...(request.query && { query: request.query }),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal,
    });
    return { status, headers, body: parseBody(text) };
  };
  return async (request, authorization) => {
    const timeoutMilliseconds = (request.timeoutSeconds ?? timeoutSeconds) * 1000;
    try {
      return await countCall("platform", async () =>
        withTimeout(timeoutMilliseconds, async (signal) => send(request, authorization, signal)),
      );
    } catch (cause) {
      throw transportFailure(request, cause);
    }
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Failures of name resolution, connecting and TLS: the request was never written.
const notSentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_.*ALERT_(?:HANDSHAKE_FAILURE|PROTOCOL_VERSION))$/;
const timeoutCodes = ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"];

/** Returns the failure that a missing response stands for. */
export function transportFailure(
  request: Pick<PlatformRequest, "method" | "path">,
  cause: unknown,
): PlatformError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return new PlatformError({
    outcome: notSentCodes.test(code) ? "not-sent" : "unknown",
    isTimeout: timeoutCodes.includes(code),
    message: `${nameOf(request)}: ${code || "no response"}`,
    cause,
  });
}

/** Returns the failure that a response without a 2xx status stands for. */
export function responseFailure(
  request: Pick<PlatformRequest, "method" | "path">,
  response: PlatformHttpResponse,
): PlatformError {
  const { status, headers } = response;
  const retryAfter = Number(headers["retry-after"]);
  const body = status === 400 ? response.body : undefined;
  // Names only: values may be PINs or service tags.
  const fields = rejectedFields({ platformStatus: status, body });
  return new PlatformError({
    outcome: status < 500 ? "refused" : "unknown",
    status,
    isLoginRefused: [401, 403].includes(status) || isLoginPage(status, headers["location"]),
    message: `${nameOf(request)}: status ${status}${fields.length > 0 ? `, fields ${fields.join(", ")}` : ""}`,
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? Math.ceil(retryAfter) : undefined,
    body,
  });
}

/** The platform redirects to this page instead of a 401 if the session or the account is not valid. */
function isLoginPage(status: number, location: unknown): boolean {
  return status >= 300 && status < 400 && typeof location === "string" && /\/log-?in\b/i.test(location);
}

/** Returns method and path, as log lines name a request. */
export function nameOf({ method, path }: Pick<PlatformRequest, "method" | "path">): string {
  return `${method} ${path}`;
}
