/** Who calls a private endpoint: verifies an OAuth 2.0 bearer token of the directory tenant and its claims. */
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
}

/** Resolves for an allowed caller. Throws `unauthenticated`, `forbidden` or `identity-provider-unavailable`. */
export type BearerCheck = (authorization: string | null, log: Log) => Promise<void>;

const maxTokenCharacters = 8192;
const clockToleranceSeconds = 60;
const realm = 'Bearer realm="vmr-gateway"';

const Claims = z.looseObject({
  exp: z.number(),
  tid: z.string().optional(),
  azp: z.string().optional(),
  appid: z.string().optional(),
  scp: z.unknown().optional(),
  idtyp: z.string().optional(),
  roles: z.array(z.string()).optional(),
});
type Claims = z.output<typeof Claims>;

/** RFC 6750: no error code without a token, `invalid_token` for a wrong one, `insufficient_scope` for a wrong client. */
export function createBearerCheck(rules: BearerRules, keys: SigningKeys): BearerCheck {
  return async (authorization, log) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw new GatewayError("unauthenticated", { challenge: realm });
    const claims = await verify(token, { rules, keys, log });
    const client = claims.azp ?? claims.appid;
    const hasRole = rules.requiredRole === undefined || (claims.roles ?? []).includes(rules.requiredRole);
    if (client === undefined || !rules.clientIds.includes(client) || !hasRole) {
      throw new GatewayError("forbidden", { challenge: `${realm}, error="insufficient_scope"` });
    }
  };
}

interface Verification {
  readonly rules: BearerRules;
  readonly keys: SigningKeys;
  readonly log: Log;
}

async function verify(token: string, { rules, keys, log }: Verification): Promise<Claims> {
  const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
  if (header?.alg !== "RS256" || typeof header.kid !== "string")
    throw refused("not an RS256 token with a key id");
  const found = await keys.find(header.kid, log);
  if (found.key === undefined) throw refused("unknown signing key");
  const [firstAudience = "", ...otherAudiences] = rules.audiences;
  const [firstIssuer = "", ...otherIssuers] = found.issuers;
  let payload: unknown;
  try {
    payload = jwt.verify(token, found.key, {
      algorithms: ["RS256"],
      issuer: [firstIssuer, ...otherIssuers],
      audience: [firstAudience, ...otherAudiences],
      clockTolerance: clockToleranceSeconds,
    });
  } catch (cause) {
    throw refused("not verified", cause);
  }
  const claims = Claims.safeParse(payload);
  if (!claims.success) throw refused("claims are missing");
  const { tid, scp, idtyp } = claims.data;
  if (tid !== undefined && tid.toLowerCase() !== rules.tenantId.toLowerCase())
    throw refused("another tenant");
  if (scp !== undefined || (idtyp !== undefined && idtyp !== "app")) throw refused("a delegated user token");
  return claims.data;
}

/** Undefined for what is no token. The library throws, with a piece of the text, when the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}

function refused(reason: string, cause?: unknown): GatewayError {
  const error = new Error(reason, { cause });
  return new GatewayError("unauthenticated", { challenge: `${realm}, error="invalid_token"`, cause: error });
}
