/** Fetches access tokens and caches them. */
import { NoResponseError, UnexpectedResponseError } from "./errors.ts";
import { exchange } from "./exchange.ts";
import { checkOptions, kindOf, secureUrl } from "./options.ts";
import { createRuntime, type Runtime, untilAborted } from "./runtime.ts";

export interface AccessToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/** Gets a new token. The client calls it only if it needs one, and keeps the token until shortly before it expires. */
export type GetToken = (options: { readonly signal: AbortSignal }) => Promise<AccessToken>;

/** Undefined is accepted so that environment variables can be passed. It throws when the client is created. */
export interface ClientCredentials {
  /** The tenant's token endpoint. */
  readonly tokenUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The default is `api://<clientId>/.default`. */
  readonly scope?: string;
  readonly fetch?: typeof fetch;
}

const optionNames = ["tokenUrl", "clientId", "clientSecret", "scope", "fetch"];

/** Returns a function that gets tokens by OAuth 2.0 client credentials. Throws a TypeError if an option is not usable. */
export function clientCredentials(credentials: ClientCredentials): GetToken {
  checkOptions("clientCredentials", credentials, optionNames);
  const { clientId = "", clientSecret = "", scope = `api://${clientId}/.default` } = credentials;
  const url = secureUrl("clientCredentials: tokenUrl", credentials.tokenUrl);
  for (const [option, value] of Object.entries({ clientId, clientSecret, scope })) {
    // Environment variables are undefined if they are not set. The value may be the secret, so it is not shown.
    if (typeof value !== "string" || value === "")
      throw new TypeError(`clientCredentials: ${option} must be a string that is not empty`);
  }
  const runtime = createRuntime(credentials.fetch);
  const { origin, pathname } = new URL(url);
  const operation = `POST ${origin}${pathname}`;
  const client = { client_id: clientId, client_secret: clientSecret };
  const form = { grant_type: "client_credentials", ...client, scope };
  return async ({ signal }) => {
    const init = { method: "POST", body: new URLSearchParams(form), signal };
    const { status, body } = await exchange({ operation, url, init, kind: "token" }, runtime);
    const grant = body as { access_token?: unknown; expires_in?: unknown } | undefined;
    const expiresInSeconds = Number(grant?.expires_in);
    if (typeof grant?.access_token !== "string" || !(expiresInSeconds > 0))
      throw new UnexpectedResponseError({ operation, status, detail: "the response has no token" });
    return { accessToken: grant.access_token, expiresInSeconds };
  };
}

const maxRenewalSeconds = 300;
const timeoutMilliseconds = 10_000;

/** Creates a cache. A token is renewed while it is still in use, in its last five minutes. */
export function createTokenCache(getToken: GetToken, { now, timeout }: Runtime) {
  let cached: { token: string; renewAt: number; expiresAt: number } | undefined;
  let renewal: Promise<string> | undefined;

  async function fetchToken(): Promise<string> {
    const signal = timeout(timeoutMilliseconds);
    const requestedAt = now();
    const token = await untilAborted(getToken({ signal }), signal).catch((cause: unknown) => {
      const isTimeout = signal.aborted && cause === signal.reason;
      throw isTimeout ? new NoResponseError({ operation: "getToken", cause }) : cause;
    });
    if (typeof token?.accessToken !== "string" || token.accessToken === "" || !(token.expiresInSeconds > 0)) {
      const found = typeof token === "object" && token !== null ? "other values" : kindOf(token);
      throw new TypeError(`getToken must return { accessToken, expiresInSeconds }; got ${found}`);
    }
    const { accessToken, expiresInSeconds } = token;
    const earlySeconds = Math.min(maxRenewalSeconds, expiresInSeconds / 2);
    const expiresAt = requestedAt + expiresInSeconds * 1000;
    cached = { token: accessToken, renewAt: expiresAt - earlySeconds * 1000, expiresAt };
    return accessToken;
  }
  function renew(): Promise<string> {
    renewal ??= fetchToken().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  return {
    /** Returns a valid token. Calls that need a new one at the same time share one request. */
    get: async (signal?: AbortSignal): Promise<string> => {
      if (!cached || now() >= cached.expiresAt) return untilAborted(renew(), signal);
      // A failed early renewal does no harm: the next call tries again.
      if (now() >= cached.renewAt) renew().catch(() => undefined);
      return cached.token;
    },
    /** Forgets a token that the gateway has refused. */
    reject: (token: string): void => {
      if (cached?.token === token) cached = undefined;
    },
  };
}
