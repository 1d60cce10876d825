/** Logs in to the platform with HTTP Basic, or with OAuth 2.0 and a private-key JWT (ES256). */
import { randomUUID } from "node:crypto";
import axios from "axios";
import jwt from "jsonwebtoken";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import { PlatformError } from "./platform-error.ts";

/** Provides the platform's Authorization header. */
export interface PlatformLogIn {
  /** Returns the value of the Authorization header. Throws PlatformError if the log-in fails. */
  authorization(): Promise<string>;
  /** Returns whether logging in again may help after a 401. Also drops this value from the cache. */
  isRenewable(authorization: string): boolean;
}

/** What a log-in needs from the platform's settings. */
export interface LogInSettings {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly logIn:
    | { readonly username: string; readonly password: string }
    | { readonly clientId: string; readonly privateKey: string; readonly scope?: string | undefined };
}

/** Creates the log-in that the settings ask for. Does not contact the platform. */
export function createLogIn({ logIn, url, timeoutSeconds }: LogInSettings, clock: Clock): PlatformLogIn {
  return "username" in logIn
    ? createBasicLogIn(logIn.username, logIn.password)
    : createOAuthLogIn({ ...logIn, url, timeoutSeconds, clock });
}

/** Creates a log-in by HTTP Basic. It never fails and cannot be renewed. */
export function createBasicLogIn(username: string, password: string): PlatformLogIn {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  return { authorization: async () => authorization, isRenewable: () => false };
}

/** Where and as whom to fetch access tokens. */
export interface OAuthLogInOptions {
  readonly url: string;
  readonly clientId: string;
  /** PEM of an EC P-256 key. */
  readonly privateKey: string;
  readonly scope?: string | undefined;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
}

const TokenResponse = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().default(3600),
});
const renewBeforeSeconds = 60;

/**
 * Creates a log-in by OAuth 2.0 client credentials. It keeps one token until a minute before it expires; concurrent
 * callers share one request. `authorization` throws PlatformError if no token can be obtained.
 */
export function createOAuthLogIn(options: OAuthLogInOptions): PlatformLogIn {
  const { clock } = options;
  let current: { authorization: string; renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const { access_token: token, expires_in: expiresIn } = await fetchToken(options);
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
    isRenewable(authorization) {
      if (current?.authorization === authorization) current = undefined;
      return true;
    },
  };
}

async function fetchToken(options: OAuthLogInOptions): Promise<z.output<typeof TokenResponse>> {
  const tokenUrl = `${options.url}/oauth/token/`;
  const response = await axios
    .post<unknown>(tokenUrl, assertionForm(options, tokenUrl), {
      signal: AbortSignal.timeout(options.timeoutSeconds * 1000),
      maxRedirects: 0,
      proxy: false,
      validateStatus: () => true,
    })
    .catch((cause: unknown) => {
      throw new PlatformError({ outcome: "not-sent", message: "log-in: no response", cause });
    });
  const { status } = response;
  const token = TokenResponse.safeParse(response.data);
  if (status === 200 && token.success) return token.data;
  // The call that needed the token was not sent, whatever the log-in returned.
  const outcome = status >= 400 && status < 500 ? "refused" : "not-sent";
  throw new PlatformError({ outcome, status, message: `log-in: status ${status}` });
}

function assertionForm(
  { clientId, privateKey, scope }: OAuthLogInOptions,
  audience: string,
): URLSearchParams {
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
