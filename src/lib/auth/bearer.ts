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

const maxTokenCharacters = 16_384;
const clockToleranceSeconds = 60;
const realm = 'Bearer realm="vmr-gateway"';

const TokenClaims = z.looseObject({
  exp: z.number(),
  tid: z.string().optional(),
  azp: z.string().optional(),
  appid: z.string().optional(),
  scp: z.unknown().optional(),
  idtyp: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

/** The log has the reason. The caller learns only that the token is invalid. */
const invalid = (reason: string, cause?: unknown) =>
  new GatewayError("unauthenticated", { challenge: `${realm}, error="invalid_token"`, reason, cause });
const notAllowed = (reason: "client" | "role") =>
  new GatewayError("forbidden", { challenge: `${realm}, error="insufficient_scope"`, reason });

/**
 * Creates the check. Its challenges follow RFC 6750: no error code without a token, `invalid_token` for an invalid
 * one, `insufficient_scope` for a client or role that is not allowed.
 */
export function createBearerCheck(rules: BearerRules, keys: SigningKeys): BearerCheck {
  return async (authorization, log, needsAdministrator) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw new GatewayError("unauthenticated", { challenge: realm, reason: "no-token" });
    const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
    if (header?.alg !== "RS256" || typeof header.kid !== "string") throw invalid("malformed");
    const { publicKey, issuers } = await keys.find(header.kid, log);
    if (publicKey === undefined) throw invalid("unknown-key");

    let payload: unknown;
    try {
      payload = jwt.verify(token, publicKey, {
        algorithms: ["RS256"],
        issuer: atLeastOne(issuers),
        audience: atLeastOne(rules.audiences),
        clockTolerance: clockToleranceSeconds,
      });
    } catch (cause) {
      throw invalid(reasonOf(cause), cause);
    }

    const claims = TokenClaims.safeParse(payload);
    if (!claims.success) throw invalid("claims");
    const { tid, scp, idtyp, azp, appid, roles = [] } = claims.data;
    if (tid !== undefined && tid.toLowerCase() !== rules.tenantId.toLowerCase()) throw invalid("tenant");
    if (scp !== undefined || (idtyp !== undefined && idtyp !== "app")) throw invalid("delegated");
    const client = azp ?? appid;
    // Entra accepts both cases in a request, and writes lower case into tokens.
    const isAllowed = rules.clientIds.some((id) => id.toLowerCase() === client?.toLowerCase());
    if (client === undefined || !isAllowed) throw notAllowed("client");
    const { requiredRole, administratorRole } = rules;
    const neededRoles = [requiredRole, needsAdministrator ? administratorRole : undefined];
    if (neededRoles.some((role) => role !== undefined && !roles.includes(role))) throw notAllowed("role");
    return client;
  };
}

/** Returns the values as the library's type requires them. An empty string equals no issuer and no audience. */
function atLeastOne([first = "", ...others]: readonly string[]): [string, ...string[]] {
  return [first, ...others];
}

// The library has classes for the lifetime only: https://github.com/auth0/node-jsonwebtoken#errors--codes
function reasonOf(error: unknown): string {
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
