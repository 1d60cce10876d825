/** Checks the OAuth 2.0 bearer token of an application. */
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { realm, verifyToken } from "./bearer-token.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Which applications are allowed. */
export interface BearerRules {
  readonly tenantId: string;
  readonly audiences: readonly string[];
  readonly clientIds: readonly string[];
  readonly requiredRole?: string | undefined;
}

/**
 * Returns the client ID of an allowed caller. Throws `unauthenticated`, `forbidden` or
 * `identity-provider-unavailable`.
 */
export type BearerCheck = (authorization: string | null, log: Log) => Promise<string>;

/**
 * Creates the check. Its challenges follow RFC 6750: no error code without a token, `invalid_token` for an invalid
 * one, `insufficient_scope` for a client or role that is not allowed.
 */
export function createBearerCheck(rules: BearerRules, keys: SigningKeys): BearerCheck {
  return async (authorization, log) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw new GatewayError("unauthenticated", { challenge: realm });
    const { tenantId, audiences } = rules;
    const claims = await verifyToken(token, { tenantId, audiences, keys, log });
    const client = claims.azp ?? claims.appid;
    const hasRole = rules.requiredRole === undefined || (claims.roles ?? []).includes(rules.requiredRole);
    if (client === undefined || !rules.clientIds.includes(client) || !hasRole) {
      throw new GatewayError("forbidden", { challenge: `${realm}, error="insufficient_scope"` });
    }
    return client;
  };
}
