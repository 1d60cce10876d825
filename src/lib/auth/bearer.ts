/** Checks the OAuth 2.0 bearer token of an application. */
import jwt from "jsonwebtoken";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Which applications are allowed. */
export interface BearerRules {
  readonly tenantId: string;
  readonly audiences: readonly string[];
  readonly clientIds: readonly string[];
  readonly requiredRole?: string | undefined;
  /** Whether a refused caller is told the reason. Only for local environments. */
  readonly explainsRefusals?: boolean;
}

/**
 * Returns the client ID of an allowed caller. Throws `unauthenticated`, `forbidden` or
 * `identity-provider-unavailable`.
 */
export type BearerCheck = (authorization: string | null, log: Log) => Promise<string>;

const maxTokenCharacters = 8192;
const clockToleranceSeconds = 60;
const realm = 'Bearer realm="vmr-gateway"';

/** Why a token is refused: the name for the log, and the text for local callers. */
const refusals = {
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
  role: "The token does not have the role AUTH_REQUIRED_ROLE.",
} as const;
type Refusal = keyof typeof refusals;

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
  return async (authorization, log) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw new GatewayError("unauthenticated", { challenge: realm, reason: "no-token" });
    const result = await verifyToken(token, rules, keys, log);
    if ("client" in result) return result.client;
    const { refusal, cause } = result;
    const isKnownCaller = refusal === "client" || refusal === "role";
    const description = rules.explainsRefusals ? `, error_description="${refusals[refusal]}"` : "";
    throw new GatewayError(isKnownCaller ? "forbidden" : "unauthenticated", {
      challenge: `${realm}, error="${isKnownCaller ? "insufficient_scope" : "invalid_token"}"${description}`,
      reason: refusal,
      cause,
    });
  };
}

interface Refused {
  readonly refusal: Refusal;
  readonly cause?: unknown;
}

/** Returns the client of a valid application token, or why it is refused. Throws `identity-provider-unavailable`. */
async function verifyToken(
  token: string,
  rules: BearerRules,
  keys: SigningKeys,
  log: Log,
): Promise<{ readonly client: string } | Refused> {
  const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
  if (header?.alg !== "RS256" || typeof header.kid !== "string") return { refusal: "malformed" };
  const { publicKey, issuers } = await keys.find(header.kid, log);
  if (publicKey === undefined) return { refusal: "unknown-key" };
  const verified = verifySignature(token, publicKey, issuers, rules.audiences);
  return "refusal" in verified ? verified : clientOf(verified.payload, rules);
}

/** Returns the payload of a token whose signature, issuer, audience and lifetime are valid. */
function verifySignature(
  token: string,
  publicKey: string,
  issuers: readonly string[],
  audiences: readonly string[],
): { readonly payload: unknown } | Refused {
  const [firstIssuer = "", ...otherIssuers] = issuers;
  const [firstAudience = "", ...otherAudiences] = audiences;
  try {
    const payload = jwt.verify(token, publicKey, {
      algorithms: ["RS256"],
      issuer: [firstIssuer, ...otherIssuers],
      audience: [firstAudience, ...otherAudiences],
      clockTolerance: clockToleranceSeconds,
    });
    return { payload };
  } catch (cause) {
    return { refusal: refusalOf(cause), cause };
  }
}

// The library has classes for the lifetime only: https://github.com/auth0/node-jsonwebtoken#errors--codes
function refusalOf(error: unknown): Refusal {
  if (error instanceof jwt.TokenExpiredError) return "expired";
  if (error instanceof jwt.NotBeforeError) return "not-yet-valid";
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("jwt issuer")) return "issuer";
  if (message.startsWith("jwt audience")) return "audience";
  return message.includes("signature") ? "signature" : "malformed";
}

function clientOf(payload: unknown, rules: BearerRules): { readonly client: string } | Refused {
  const claims = TokenClaims.safeParse(payload);
  if (!claims.success) return { refusal: "claims" };
  const { tid, scp, idtyp, azp, appid, roles = [] } = claims.data;
  if (tid !== undefined && tid.toLowerCase() !== rules.tenantId.toLowerCase()) return { refusal: "tenant" };
  if (scp !== undefined || (idtyp !== undefined && idtyp !== "app")) return { refusal: "delegated" };
  const client = azp ?? appid;
  if (client === undefined || !rules.clientIds.includes(client)) return { refusal: "client" };
  const hasRole = rules.requiredRole === undefined || roles.includes(rules.requiredRole);
  return hasRole ? { client } : { refusal: "role" };
}

/** Returns undefined for a malformed token. `jwt.decode` throws, quoting the token, if the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}
