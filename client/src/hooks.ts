/** The events that a client reports, for logging. */
import type { GatewayError } from "./errors.ts";

export interface RequestEvent {
  readonly method: string;
  /** Without the query, which contains the service tag. */
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
  /** Also called for responses that become errors. */
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Calls a hook and ignores its errors: a failing log must not lose the room of a create. */
export function report<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event);
  } catch {
    // The caller's log has failed, not the call.
  }
}
