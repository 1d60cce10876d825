/** Sends calls with authentication, timeouts, retries and hooks. */
import {
  GatewayError,
  NoResponseError,
  NotAuthenticatedError,
  PoolEmptyError,
  UnavailableError,
} from "./errors.ts";
import { exchange, type Reply, type Request } from "./exchange.ts";
import { checkOptions } from "./options.ts";
import type { Runtime } from "./runtime.ts";

/** The options of a call. */
export interface CallOptions {
  /** Ends the call, even while it waits. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The maximum time of the call with all its retries. */
  readonly timeoutSeconds?: number;
  /** 1 to 128 letters, digits, `.`, `_` or `-`, without personal data. The default is a random UUID for each call. */
  readonly correlationId?: string;
}

export const callOptionNames = ["signal", "timeoutSeconds", "correlationId"];

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** The default is "other". */
  readonly kind?: Request["kind"];
  readonly query?: Record<string, string> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The maximum time of one attempt, by default 30 s. The whole call takes at most twice as long unless its options say otherwise. */
  readonly attemptSeconds?: number;
  /** Sends no credentials. */
  readonly isAnonymous?: boolean;
}

export interface RequestEvent {
  readonly method: string;
  /** Excludes the query, which contains the service tag. */
  readonly path: string;
  readonly correlationId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly milliseconds: number;
}

export interface RetryEvent extends RequestEvent {
  readonly error: GatewayError;
  readonly waitSeconds: number;
}

/** No event contains a token, a PIN or a service tag. Errors that a hook throws are ignored. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  /** Is also called for responses that become errors. */
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Authenticates calls. */
interface Authentication {
  readonly getToken: (signal: AbortSignal) => Promise<string>;
  readonly toHeaders: (token: string) => Readonly<Record<string, string>>;
  /** Forgets a token that the gateway has refused. Missing if no other token can be requested. */
  readonly rejectToken?: (token: string) => void;
}

interface SendOptions {
  /** The checked URL of the gateway, without a trailing slash. */
  readonly baseUrl: string;
  readonly authentication: Authentication;
  readonly hooks: Hooks;
  readonly runtime: Runtime;
}

/** Sends a call until it succeeds, fails permanently or times out. Throws a GatewayError, or the abort reason. */
export type Send = (call: Call, options?: CallOptions) => Promise<Reply>;

// The characters that a header can carry: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
const usableToken = /^[\x21-\x7e]+$/;
const correlationIdPattern = /^[\w.-]{1,128}$/;

/** Creates the function that sends calls. */
export function createSend({ baseUrl, authentication, hooks, runtime }: SendOptions): Send {
  async function sendOnce(call: Call, event: RequestEvent, signal: AbortSignal, token?: string) {
    const { method, path, kind = "other", query, json } = call;
    const startedAt = runtime.now();
    report(hooks.onRequest, event);
    const request: Request = {
      operation: `${method} ${path}`,
      url: `${baseUrl}${path}${query ? `?${new URLSearchParams(query)}` : ""}`,
      kind,
      correlationId: event.correlationId,
      onStatus: (status) =>
        report(hooks.onResponse, { ...event, status, milliseconds: runtime.now() - startedAt }),
      init: {
        method,
        signal,
        headers: {
          "x-correlation-id": event.correlationId,
          ...(json !== undefined && { "content-type": "application/json" }),
          ...call.headers,
          ...(token !== undefined && authentication.toHeaders(token)),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      },
    };
    return exchange(request, runtime);
  }

  return async (call, options = {}) => {
    const operation = `${call.method} ${call.path}`;
    checkOptions(operation, options, callOptionNames);
    const { attemptSeconds = 30 } = call;
    const { signal, timeoutSeconds = 2 * attemptSeconds } = options;
    const correlationId = options.correlationId ?? crypto.randomUUID();
    if (!correlationIdPattern.test(correlationId))
      throw new TypeError("A correlation ID has 1 to 128 letters, digits, `.`, `_` or `-`");
    if (!(timeoutSeconds > 0)) throw new TypeError("timeoutSeconds must be greater than 0");
    const endsAt = runtime.now() + timeoutSeconds * 1000;
    const remainingSeconds = (): number => Math.max(0, endsAt - runtime.now()) / 1000;
    const { rejectToken } = authentication;
    let hasRenewed = false;

    /** Sends one request, and after the call's first 401 another one with a new token. */
    async function attemptOnce(event: RequestEvent, either: AbortSignal): Promise<Reply> {
      if (call.isAnonymous) return sendOnce(call, event, either);
      const token = await getToken(either);
      try {
        return await sendOnce(call, event, either, token);
      } catch (error) {
        if (!(error instanceof NotAuthenticatedError) || !rejectToken || hasRenewed) throw error;
        hasRenewed = true;
        rejectToken(token);
        return sendOnce(call, event, either, await getToken(either));
      }
    }

    /** Throws a NotAuthenticatedError if there is no token or one that no header can carry, without showing it. */
    async function getToken(either: AbortSignal): Promise<string> {
      const token = await authentication.getToken(either);
      if (usableToken.test(token)) return token;
      throw new NotAuthenticatedError({ operation, correlationId });
    }

    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const event = { method: call.method, path: call.path, correlationId, attempt };
      const timeout = runtime.timeout(Math.ceil(1000 * Math.min(attemptSeconds, remainingSeconds())));
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        return await attemptOnce(event, either);
      } catch (cause) {
        signal?.throwIfAborted();
        const isTimeout = timeout.aborted && !(cause instanceof GatewayError);
        const error = isTimeout ? new NoResponseError({ operation, correlationId, cause }) : cause;
        if (!(error instanceof GatewayError)) throw error;
        error.attempts = attempt;
        const waitSeconds = retryDelaySeconds(error, attempt - 1, runtime.random());
        if (waitSeconds === undefined || waitSeconds >= remainingSeconds()) throw error;
        report(hooks.onRetry, { ...event, error, waitSeconds });
        await runtime.wait(waitSeconds * 1000, signal);
      }
    }
  };
}

/** Calls a hook and ignores its errors: a failing log must not lose the room of a create. */
function report<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event);
  } catch {
    // The caller's log failed, not the call.
  }
}

const maxRetries = 3;
// A longer wait is the caller's decision, because a user may be waiting.
const maxRetryAfterSeconds = 60;
const maxJitter = 0.25;

/**
 * Returns the seconds to wait before the next attempt: `Retry-After`, otherwise 1, 2 and 4 seconds, plus a random part.
 * Returns undefined if the failure is final. Every operation is safe to retry: reads and deletions by their
 * nature, changes because they set fields to values, filling because it aims at a level, and creates by their key.
 */
function retryDelaySeconds(error: GatewayError, retries: number, random: number): number | undefined {
  const isTemporary = error instanceof UnavailableError || error instanceof PoolEmptyError;
  if (retries >= (isTemporary ? maxRetries : error.status === 500 ? 1 : 0)) return undefined;
  const seconds = error.retryAfterSeconds ?? 2 ** retries;
  return seconds > maxRetryAfterSeconds ? undefined : seconds * (1 + random * maxJitter);
}

// These paths belong to other operations: deleting a room named "bulk" would delete all rooms.
const notRooms = /^(?:|\.{1,2}|(?:bulk|list)\/*)$/i;

/** Returns the path of a room below the prefix. Throws a TypeError if the text cannot be a room name. */
export function roomPath(prefix: "/room" | "/public/room", name: string): string {
  if (typeof name !== "string" || notRooms.test(name))
    throw new TypeError(`${JSON.stringify(name)} is not a room name`);
  return `${prefix}/${encodeURIComponent(name)}`;
}
