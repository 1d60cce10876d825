/** Checks the bearer token of an application. */
import jwt from "jsonwebtoken";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { SigningKeys } from "./signing-keys.ts";

export interface BearerRules {
  readonly tenantId: string;
  readonly audiences: readonly string[];
  readonly clientIds: readonly string[];
  readonly requiredRole?: string | undefined;
  /** What administrators need in addition. */
  readonly administratorRole?: string | undefined;
  /** Whether the caller of an invalid token is told what is wrong, as in local environments only. */
  readonly explainsFaults?: boolean;
}

/**
 * Returns the client ID of an allowed caller. Throws `unauthenticated`, `forbidden` or
 * `identity-provider-unavailable`.
 */
export type BearerCheck = (
  authorization: string | null,
  log: Log,
  needsAdministrator?: boolean,
) => Promise<string>;

const maxTokenCharacters = 8192;
const clockToleranceSeconds = 60;
const realm = 'Bearer realm="vmr-gateway"';

/** What can be wrong with a token: the name for the log, and the text for local callers. */
const tokenFaults = {
  malformed: "The token is not a JWT of at most 8,192 characters, signed with RS256, with a key ID.",
  "unknown-key": "The token is signed with a key that the authority does not publish.",
  signature: "The signature of the token does not match.",
  expired: "The token has expired.",
  "not-yet-valid": "The token is not valid yet.",
  issuer: "The issuer of the token is not the configured tenant.",
  audience: "The audience of the token is not one of AUTH_AUDIENCES.",
  claims: "The token lacks a claim, or a claim has the wrong type.",
  tenant: "The token belongs to another tenant.",
  delegated: "The token was issued for a user, not for an application.",
  client: "The client of the token is not one of AUTH_CLIENT_IDS.",
  role: "The token does not have the role AUTH_REQUIRED_ROLE or AUTH_ADMINISTRATOR_ROLE.",
} as const;
type TokenFault = keyof typeof tokenFaults;

const TokenClaims = z.looseObject({
  exp: z.number(),
  tid: z.string().optional(),
  azp: z.string().optional(),
  appid: z.string().optional(),
  scp: z.unknown().optional(),
  idtyp: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

/**
 * Creates the check. Its challenges follow RFC 6750: no error code without a token, `invalid_token` for an invalid
 * one, `insufficient_scope` for a client or role that is not allowed.
 */
export function createBearerCheck(rules: BearerRules, keys: SigningKeys): BearerCheck {
  function reject(fault: TokenFault, cause?: unknown): never {
    const isKnownCaller = fault === "client" || fault === "role";
    const description = rules.explainsFaults ? `, error_description="${tokenFaults[fault]}"` : "";
    throw new GatewayError(isKnownCaller ? "forbidden" : "unauthenticated", {
      challenge: `${realm}, error="${isKnownCaller ? "insufficient_scope" : "invalid_token"}"${description}`,
      reason: fault,
      cause,
    });
  }

  return async (authorization, log, needsAdministrator) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw new GatewayError("unauthenticated", { challenge: realm, reason: "no-token" });
    const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
    if (header?.alg !== "RS256" || typeof header.kid !== "string") return reject("malformed");
    const { publicKey, issuers } = await keys.find(header.kid, log);
    if (publicKey === undefined) return reject("unknown-key");

    let payload: unknown;
    try {
      payload = jwt.verify(token, publicKey, {
        algorithms: ["RS256"],
        issuer: atLeastOne(issuers),
        audience: atLeastOne(rules.audiences),
        clockTolerance: clockToleranceSeconds,
      });
    } catch (cause) {
      return reject(faultOf(cause), cause);
    }

    const claims = TokenClaims.safeParse(payload);
    if (!claims.success) return reject("claims");
    const { tid, scp, idtyp, azp, appid, roles = [] } = claims.data;
    if (tid !== undefined && tid.toLowerCase() !== rules.tenantId.toLowerCase()) return reject("tenant");
    if (scp !== undefined || (idtyp !== undefined && idtyp !== "app")) return reject("delegated");
    const client = azp ?? appid;
    if (client === undefined || !rules.clientIds.includes(client)) return reject("client");
    const { requiredRole, administratorRole } = rules;
    if (requiredRole !== undefined && !roles.includes(requiredRole)) return reject("role");
    if (needsAdministrator && administratorRole !== undefined && !roles.includes(administratorRole))
      return reject("role");
    return client;
  };
}

/** Returns the values as the library's type requires them. An empty string equals no issuer and no audience. */
function atLeastOne([first = "", ...others]: readonly string[]): [string, ...string[]] {
  return [first, ...others];
}

// The library has classes for the lifetime only: https://github.com/auth0/node-jsonwebtoken#errors--codes
function faultOf(error: unknown): TokenFault {
  if (error instanceof jwt.TokenExpiredError) return "expired";
  if (error instanceof jwt.NotBeforeError) return "not-yet-valid";
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("jwt issuer")) return "issuer";
  if (message.startsWith("jwt audience")) return "audience";
  return message.includes("signature") ? "signature" : "malformed";
}

/** Returns undefined for a malformed token. `jwt.decode` throws, quoting the token, if the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}
