/** What a client reports while it works, for logging. */
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

/** No event contains a token, a PIN or a service tag. What a hook throws is ignored. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  /** Also called for responses that become errors. */
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Calls a hook. A failing log must not lose the room of a create. */
export function report<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event);
  } catch {
    // The hook's own fault.
  }
}
