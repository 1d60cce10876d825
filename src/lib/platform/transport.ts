/** Sends one HTTP request to the platform, with the gateway's credentials: HTTP Basic, or OAuth 2.0 (ES256). */
import { randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import * as z from "zod";
import { type ConnectionOptions, createHttpClient } from "../http-client.ts";
import type { Clock } from "../ports.ts";
import { isRefusal, PlatformError, transportFailure } from "./errors.ts";

export interface PlatformRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path below the platform's URL, with its trailing slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Defaults to the setting. */
  readonly timeoutSeconds?: number;
}

/** A response of any status. A body that is not JSON is a string. */
export interface PlatformHttpResponse {
  readonly status: number;
  /** Names are in lower case. A `location` on the platform is a path. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Sends one request with this Authorization header. Returns any response; throws PlatformError if there is none. */
export type PlatformTransport = (
  request: PlatformRequest,
  authorization: string,
) => Promise<PlatformHttpResponse>;

/** Creates the transport to the platform at `url`. */
export function createTransport(
  url: string,
  timeoutSeconds: number,
  connection?: ConnectionOptions,
): PlatformTransport {
  const http = createHttpClient(url, connection);
  return async (request, authorization) => {
    const { method, path, query, body: data } = request;
    const signal = AbortSignal.timeout((request.timeoutSeconds ?? timeoutSeconds) * 1000);
    const headers = { accept: "application/json", authorization };
    try {
      const response = await http.request<unknown>({
        method,
        url: path,
        params: query,
        data,
        headers,
        signal,
      });
      const { location, ...others }: PlatformHttpResponse["headers"] = response.headers;
      const target = typeof location === "string" ? location.replace(url, "") : undefined;
      return { status: response.status, headers: { ...others, location: target }, body: response.data };
    } catch (cause) {
      throw transportFailure(request, cause);
    }
  };
}

export interface PlatformCredentials {
  /** Returns the value of the Authorization header. Throws PlatformError if the platform grants none. */
  authorization(): Promise<string>;
  /** Forgets this value, which the platform refused. Returns whether a new one may help. */
  invalidate(authorization: string): boolean;
}

export interface CredentialSettings extends Pick<ConnectionOptions, "secureContext"> {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly logIn: { readonly username: string; readonly password: string } | OAuthClient;
}

export interface OAuthClient {
  readonly clientId: string;
  /** PEM of an EC P-256 key. */
  readonly privateKey: string;
  readonly scope?: string | undefined;
}

/** Creates the credentials that the settings name. Does not contact the platform. */
export function createCredentials(settings: CredentialSettings, clock: Clock): PlatformCredentials {
  const { logIn } = settings;
  return "username" in logIn
    ? createBasicCredentials(logIn.username, logIn.password)
    : createOAuthCredentials(logIn, settings, clock);
}

/** Creates credentials for HTTP Basic. They never fail and cannot be renewed. */
export function createBasicCredentials(username: string, password: string): PlatformCredentials {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  return { authorization: async () => authorization, invalidate: () => false };
}

const tokenPath = "/oauth/token/";
const TokenResponse = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().default(3600),
});
const renewBeforeSeconds = 60;

/**
 * Creates OAuth 2.0 client credentials. They keep one token until a minute before it expires; concurrent callers share
 * one request. `authorization` throws PlatformError if no token can be obtained.
 */
function createOAuthCredentials(
  client: OAuthClient,
  { url, timeoutSeconds, secureContext }: CredentialSettings,
  clock: Clock,
): PlatformCredentials {
  const http = createHttpClient(url, { secureContext });
  let current: { authorization: string; renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function fetchToken(): Promise<z.output<typeof TokenResponse>> {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const form = assertionForm(client, `${url}${tokenPath}`);
    const { status, data } = await http.post<unknown>(tokenPath, form, { signal }).catch((cause: unknown) => {
      throw transportFailure({ method: "POST", path: tokenPath }, cause, "not-sent");
    });
    const token = TokenResponse.safeParse(data);
    if (status === 200 && token.success) return token.data;
    // The call that needed the token was not sent, whatever the platform returned.
    const isRefused = isRefusal({ status, body: data });
    const isTokenRefused = isRefused && status !== 429;
    throw new PlatformError({
      outcome: isRefused ? "refused" : "not-sent",
      method: isTokenRefused ? undefined : "POST",
      status,
      isForeign: !isRefused && status < 500,
      isTokenRefused,
      code: isTokenRefused ? "platform-login-refused" : undefined,
      message: `token request: status ${status}`,
    });
  }

  async function renew(): Promise<string> {
    const { access_token: token, expires_in: expiresIn } = await fetchToken();
    const authorization = `Bearer ${token}`;
    const lifeSeconds = Math.max(expiresIn - renewBeforeSeconds, expiresIn / 2);
    current = { authorization, renewAt: clock.now() + lifeSeconds * 1000 };
    return authorization;
  }

  return {
    async authorization() {
      if (current && clock.now() < current.renewAt) return current.authorization;
      pending ??= renew().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    invalidate(authorization) {
      if (current?.authorization === authorization) current = undefined;
      return true;
    },
  };
}

function assertionForm({ clientId, privateKey, scope }: OAuthClient, audience: string): URLSearchParams {
  const assertion = jwt.sign({ jti: randomUUID() }, privateKey, {
    algorithm: "ES256",
    issuer: clientId,
    subject: clientId,
    audience,
    expiresIn: 300,
  });
  return new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
    ...(scope !== undefined && { scope }),
  });
}
