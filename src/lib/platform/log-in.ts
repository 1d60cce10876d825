/** How calls log in to the platform: HTTP Basic, or OAuth 2.0 with a private-key JWT (ES256). */
import { randomUUID } from "node:crypto";
import axios from "axios";
import jwt from "jsonwebtoken";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import { PlatformError } from "./platform-error.ts";

export interface PlatformLogIn {
  /** The value of the Authorization header. */
  authorization(): Promise<string>;
  /** Whether another log-in may help after the platform answered 401 to this value, which is not used again then. */
  isRenewable(authorization: string): boolean;
}

export function createBasicLogIn(username: string, password: string): PlatformLogIn {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  return { authorization: async () => authorization, isRenewable: () => false };
}

export interface OAuthLogInOptions {
  readonly url: string;
  readonly clientId: string;
  /** PEM of an EC P-256 key. */
  readonly privateKey: string;
  readonly scope?: string | undefined;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
}

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().default(3600),
});
const renewBeforeSeconds = 60;

/** Keeps one token until a minute before it ends; callers that come meanwhile share one request for it. */
export function createOAuthLogIn(options: OAuthLogInOptions): PlatformLogIn {
  const { url, clock } = options;
  let current: { authorization: string; renewAt: number } | undefined;
  let pending: Promise<string> | undefined;

  async function fetchToken(): Promise<string> {
    const tokenUrl = `${url}/oauth/token/`;
    const response = await axios
      .post<unknown>(tokenUrl, assertionForm(options, tokenUrl), {
        signal: AbortSignal.timeout(options.timeoutSeconds * 1000),
        maxRedirects: 0,
        proxy: false,
        validateStatus: () => true,
      })
      .catch((cause: unknown) => {
        throw new PlatformError({ outcome: "not-sent", message: "log-in: no answer", cause });
      });
    const token = TokenAnswer.safeParse(response.data);
    if (response.status !== 200 || !token.success) {
      // The call that wanted the token was not sent, whatever the log-in answered.
      const outcome = response.status >= 400 && response.status < 500 ? "refused" : "not-sent";
      throw new PlatformError({
        outcome,
        status: response.status,
        message: `log-in: status ${response.status}`,
      });
    }
    const authorization = `Bearer ${token.data.access_token}`;
    const lifeSeconds = Math.max(token.data.expires_in - renewBeforeSeconds, token.data.expires_in / 2);
    current = { authorization, renewAt: clock.now() + lifeSeconds * 1000 };
    return authorization;
  }

  return {
    async authorization() {
      if (current && clock.now() < current.renewAt) return current.authorization;
      pending ??= fetchToken().finally(() => {
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
