/** Logs in to the platform with OAuth 2.0 client credentials and a private-key JWT (ES256). */
import { randomUUID } from "node:crypto";
import axios from "axios";
import jwt from "jsonwebtoken";
import * as z from "zod";
import type { Clock } from "../ports.ts";
import type { PlatformLogIn } from "./log-in.ts";
import { PlatformError } from "./platform-error.ts";

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
    invalidate(authorization) {
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
  const isRefused = status >= 400 && status < 500;
  throw new PlatformError({
    outcome: isRefused ? "refused" : "not-sent",
    status,
    isLoginRefused: isRefused && status !== 429,
    message: `log-in: status ${status}`,
  });
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
