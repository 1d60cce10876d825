/** One HTTP exchange with the platform: timeout, no redirects, no proxy, and failures named by their outcome. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import axios, { AxiosError, type AxiosResponse } from "axios";
import { countCall } from "../outbound-calls.ts";
import { PlatformError } from "./platform-error.ts";
import { rejectedFields } from "./rejected-fields.ts";

/** One HTTP request to the platform. */
export interface PlatformRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below the platform's address, with its trailing slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Defaults to the setting. */
  readonly timeoutSeconds?: number;
}

/** Sends one request with this Authorization header. Returns any response; throws PlatformError if there is none. */
export type Exchange = (request: PlatformRequest, authorization: string) => Promise<AxiosResponse<unknown>>;

// Idle connections are closed before a server's usual 5 s: a call on one just closed has an unknown outcome.
const idleSeconds = 4;
const maxResponseBytes = 64 * 1024 * 1024;

/** Creates the exchange with the platform at `url`. Connections are kept alive and reused. */
export function createExchange(url: string, timeoutSeconds: number): Exchange {
  const agentOptions = { keepAlive: true, timeout: idleSeconds * 1000, scheduling: "lifo" } as const;
  const http = axios.create({
    baseURL: url,
    headers: { Accept: "application/json" },
    httpAgent: new HttpAgent(agentOptions),
    httpsAgent: new HttpsAgent(agentOptions),
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
    maxContentLength: maxResponseBytes,
  });
  return async (request, authorization) => {
    const timeoutMilliseconds = (request.timeoutSeconds ?? timeoutSeconds) * 1000;
    try {
      return await countCall("platform", async () =>
        http.request<unknown>({
          method: request.method,
          url: request.path,
          params: request.query,
          data: request.body,
          headers: { Authorization: authorization },
          signal: AbortSignal.timeout(timeoutMilliseconds),
          timeout: timeoutMilliseconds,
        }),
      );
    } catch (cause) {
      throw transportFailure(request, cause);
    }
  };
}

// Failures of name resolution, connecting and TLS: the request was never written.
const notSentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|EPROTO)$/;

/** Returns the failure that a missing response stands for. */
export function transportFailure(request: PlatformRequest, cause: unknown): PlatformError {
  const code = cause instanceof AxiosError ? (cause.code ?? "") : "";
  const isTimeout = ["ECONNABORTED", "ETIMEDOUT", "ERR_CANCELED"].includes(code);
  return new PlatformError({
    outcome: notSentCodes.test(code) ? "not-sent" : "unknown",
    isTimeout,
    message: `${nameOf(request)}: ${code || "no response"}`,
    cause,
  });
}

/** Returns the failure that a response without a 2xx status stands for. */
export function responseFailure(request: PlatformRequest, response: AxiosResponse<unknown>): PlatformError {
  const { status, data, headers } = response;
  const retryAfter = Number(headers["retry-after"]);
  const body = status === 400 ? data : undefined;
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
export function nameOf({ method, path }: PlatformRequest): string {
  return `${method} ${path}`;
}
