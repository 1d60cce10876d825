/** A call to the gateway, with the options that its caller can set. */
import type { Request } from "./exchange.ts";

export interface CallOptions {
  /** Ends the call, also while it waits. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** The maximum time of the call with all its retries. */
  readonly timeoutSeconds?: number;
  /** 1 to 128 letters, digits, `.`, `_` or `-`, without personal data. The default is a random UUID for each call. */
  readonly correlationId?: string;
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly kind: Request["kind"];
  readonly query?: Record<string, string>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The maximum time of one attempt. The whole call takes at most twice as long unless its options say otherwise. */
  readonly attemptSeconds: number;
  /** Sends no credentials. */
  readonly isAnonymous?: boolean;
}
