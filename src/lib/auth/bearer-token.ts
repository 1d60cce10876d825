/** Verifies a bearer token of the directory tenant and its claims. */
import type { KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { SigningKeys } from "./signing-keys.ts";

const maxTokenCharacters = 8192;
const clockToleranceSeconds = 60;

/** The beginning of every challenge. */
export const realm = 'Bearer realm="vmr-gateway"';

const TokenClaims = z.looseObject({
  exp: z.number(),
  tid: z.string().optional(),
  azp: z.string().optional(),
  appid: z.string().optional(),
  scp: z.unknown().optional(),
  idtyp: z.string().optional(),
  roles: z.array(z.string()).optional(),
});
type TokenClaims = z.output<typeof TokenClaims>;

/** What a token is verified against. */
export interface Verification {
  readonly tenantId: string;
  readonly audiences: readonly string[];
  readonly keys: SigningKeys;
  readonly log: Log;
}

/**
 * Returns the claims of a valid application token. Throws `unauthenticated` with an `invalid_token` challenge if the
 * token is not valid, and `identity-provider-unavailable` if it cannot be verified.
 */
export async function verifyToken(
  token: string,
  { tenantId, audiences, keys, log }: Verification,
): Promise<TokenClaims> {
  const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
  if (header?.alg !== "RS256" || typeof header.kid !== "string")
    throw invalidToken("not an RS256 token with a key id");
  const { key, issuers } = await keys.find(header.kid, log);
  if (key === undefined) throw invalidToken("unknown signing key");
  const claims = TokenClaims.safeParse(verifySignature(token, key, { issuers, audiences }));
  if (!claims.success) throw invalidToken("claims are missing");
  const { tid, scp, idtyp } = claims.data;
  if (tid !== undefined && tid.toLowerCase() !== tenantId.toLowerCase()) throw invalidToken("another tenant");
  const isDelegated = scp !== undefined || (idtyp !== undefined && idtyp !== "app");
  if (isDelegated) throw invalidToken("a delegated user token");
  return claims.data;
}

/** Returns the payload of a token whose signature, issuer, audience and lifetime are valid. */
function verifySignature(
  token: string,
  key: KeyObject,
  { issuers, audiences }: { issuers: readonly string[]; audiences: readonly string[] },
): unknown {
  const [firstIssuer = "", ...otherIssuers] = issuers;
  const [firstAudience = "", ...otherAudiences] = audiences;
  try {
    return jwt.verify(token, key, {
      algorithms: ["RS256"],
      issuer: [firstIssuer, ...otherIssuers],
      audience: [firstAudience, ...otherAudiences],
      clockTolerance: clockToleranceSeconds,
    });
  } catch (cause) {
    throw invalidToken("not verified", cause);
  }
}

/** Returns undefined for a malformed token. `jwt.decode` throws, quoting the token, if the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}

function invalidToken(reason: string, cause?: unknown): GatewayError {
  const error = new Error(reason, { cause });
  return new GatewayError("unauthenticated", { challenge: `${realm}, error="invalid_token"`, cause: error });
}
