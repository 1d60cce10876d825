/** One HTTP call to the conferencing platform: log-in, time limit, no redirects, bounded concurrency, named failures. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import axios, { AxiosError, type AxiosResponse } from "axios";
import PQueue from "p-queue";
import type { Clock } from "../clock.ts";
import type { PlatformLogIn } from "./log-in.ts";
import { PlatformError } from "./platform-error.ts";

export interface PlatformCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the platform's address, with its trailing slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The setting's limit unless given. */
  readonly timeoutSeconds?: number;
  /** The call is not sent any more at this time (clock milliseconds); 20 s from now unless given, for background never. */
  readonly startBefore?: number;
}

export interface PlatformAnswer {
  readonly body: unknown;
}

/** Throws PlatformError. `background` calls wait behind those that somebody waits for, and leave them two slots. */
export interface PlatformClient {
  readonly call: (call: PlatformCall) => Promise<PlatformAnswer>;
  readonly background: Pick<PlatformClient, "call">;
}

export interface PlatformClientOptions {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly maxConcurrency: number;
  readonly logIn: PlatformLogIn;
  readonly clock: Clock;
}

// Idle connections are given up before a server's usual 5 s, as a call on one just closed has an unknown outcome.
const idleSeconds = 4;
// Who waits longer for a slot has been given up by their own caller.
const maxWaitSeconds = 20;
const maxWaitingCalls = 500;

export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { clock, logIn, maxConcurrency } = options;
  const agentOptions = { keepAlive: true, timeout: idleSeconds * 1000, scheduling: "lifo" } as const;
  const http = axios.create({
    baseURL: options.url,
    headers: { Accept: "application/json" },
    httpAgent: new HttpAgent(agentOptions),
    httpsAgent: new HttpsAgent(agentOptions),
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
    maxContentLength: 64 * 1024 * 1024,
  });
  const slots = new PQueue({ concurrency: maxConcurrency });
  const backgroundSlots = new PQueue({ concurrency: Math.max(1, maxConcurrency - 2) });

  async function send(call: PlatformCall): Promise<PlatformAnswer> {
    if (call.startBefore !== undefined && clock.now() >= call.startBefore) {
      throw new PlatformError({
        outcome: "not-sent",
        isTimeout: true,
        message: `${nameOf(call)}: no time left to send it`,
      });
    }
    const authorization = await logIn.authorization();
    const first = await exchange(call, authorization);
    const isRepeated = first.status === 401 && logIn.isRenewable(authorization);
    const response = isRepeated ? await exchange(call, await logIn.authorization()) : first;
    if (response.status >= 200 && response.status < 300) return { body: response.data };
    throw answerFailure(call, response);
  }

  async function exchange(call: PlatformCall, authorization: string): Promise<AxiosResponse<unknown>> {
    const timeoutMilliseconds = (call.timeoutSeconds ?? options.timeoutSeconds) * 1000;
    return http
      .request<unknown>({
        method: call.method,
        url: call.path,
        params: call.query,
        data: call.body,
        headers: { Authorization: authorization },
        signal: AbortSignal.timeout(timeoutMilliseconds),
        timeout: timeoutMilliseconds,
      })
      .catch((cause: unknown) => {
        throw transportFailure(call, cause);
      });
  }

  async function call(request: PlatformCall): Promise<PlatformAnswer> {
    if (slots.size >= maxWaitingCalls) {
      throw new PlatformError({ outcome: "not-sent", message: `${nameOf(request)}: too many calls wait` });
    }
    const startBefore = request.startBefore ?? clock.now() + maxWaitSeconds * 1000;
    return slots.add(async () => send({ ...request, startBefore }), { priority: 1 });
  }
  return {
    call,
    background: {
      call: async (request) =>
        backgroundSlots.add(async () => slots.add(async () => send(request), { priority: 0 })),
    },
  };
}

// Failures of name look-up, connecting and TLS: the request was never written.
const notSentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*|EPROTO)$/;

function transportFailure(call: PlatformCall, cause: unknown): PlatformError {
  const code = cause instanceof AxiosError ? (cause.code ?? "") : "";
  const isTimeout = ["ECONNABORTED", "ETIMEDOUT", "ERR_CANCELED"].includes(code);
  return new PlatformError({
    outcome: notSentCodes.test(code) ? "not-sent" : "unknown",
    isTimeout,
    message: `${nameOf(call)}: ${code || "no answer"}`,
    cause,
  });
}

function answerFailure(call: PlatformCall, response: AxiosResponse<unknown>): PlatformError {
  const { status, data, headers } = response;
  const retryAfter = Number(headers["retry-after"]);
  return new PlatformError({
    outcome: status < 500 ? "refused" : "unknown",
    status,
    message: `${nameOf(call)}: status ${status}`,
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? Math.ceil(retryAfter) : undefined,
    body: status === 400 ? data : undefined,
  });
}

function nameOf({ method, path }: PlatformCall): string {
  return `${method} ${path}`;
}
