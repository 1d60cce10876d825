/** Checks who may call a function: by bearer token, HTTP Basic, or API Management's secret. */
import { createHash, timingSafeEqual } from "node:crypto";
import jwt from "jsonwebtoken";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ContactCentreCheck } from "./contact-centre.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The caller of a request, as the access check found it. `id` is the client ID of an allowed application. */
export type Caller =
  | { readonly kind: "application"; readonly id: string }
  | { readonly kind: "agent" }
  | { readonly kind: "event-sink"; readonly credentials: "current" | "previous" }
  | { readonly kind: "anyone" };

/**
 * Who may call: `application` by bearer token, `agent` by contact-centre token, `event-sink` by HTTP Basic, or `anyone`.
 * There is no default, so no function can forget to state it.
 */
export type Access = Caller["kind"];

/** Returns the caller. Throws GatewayError if the caller is refused or cannot be checked. */
type AccessCheck = (headers: Pick<Headers, "get">, log: Log) => Promise<Caller>;

export type AccessChecks = Readonly<Record<Access, AccessCheck>>;

/** One accepted pair of HTTP Basic credentials. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** The credentials that requests are compared with. */
interface AccessRules {
  /** Only API Management knows it. Without it, requests need not come through API Management. */
  readonly apiManagementSecret: string | undefined;
  readonly checkBearer: BearerCheck;
  readonly checkAgent: ContactCentreCheck;
  /** The first pair is the current one, the others are previous ones. */
  readonly eventSink: readonly BasicCredentials[];
}

/** Creates the checks. Each except `anyone` also requires the secret of API Management if one is set. */
export function createAccessChecks(rules: AccessRules): AccessChecks {
  const requireApiManagement = createApiManagementCheck(rules.apiManagementSecret);
  const checkBasic = createBasicCheck(rules.eventSink);
  return {
    application: async (headers, log) => {
      requireApiManagement(headers);
      return { kind: "application", id: await rules.checkBearer(headers.get("authorization"), log) };
    },
    agent: async (headers, log) => {
      requireApiManagement(headers);
      await rules.checkAgent(headers.get("x-auth-token"), log);
      return { kind: "agent" };
    },
    "event-sink": async (headers) => {
      requireApiManagement(headers);
      return { kind: "event-sink", credentials: checkBasic(headers.get("authorization")) };
    },
    anyone: async () => ({ kind: "anyone" }),
  };
}

/** Creates a check that throws `forbidden` unless the request carries the secret, or no secret is set. */
function createApiManagementCheck(secret: string | undefined): (headers: Pick<Headers, "get">) => void {
  if (secret === undefined) return () => undefined;
  const expected = hashOfSecret(secret);
  return (headers) => {
    if (!timingSafeEqual(expected, hashOfSecret(headers.get("x-api-management-secret") ?? "")))
      throw new GatewayError("forbidden", { reason: "api-management-secret" });
  };
}

/**
 * Creates a check that returns which of these pairs the header contains, and throws `unauthenticated` if it contains
 * none. It compares every pair, even after a match, so its duration does not depend on which pair matches. The log's
 * reason is `password` if only the password differs: an accepted node is configured wrongly. Anyone can cause the others.
 */
function createBasicCheck(
  accepted: readonly BasicCredentials[],
): (authorization: string | null) => "current" | "previous" {
  const hashes = accepted.map(({ username, password }) => hashOfSecret(`${username}:${password}`));
  const names = accepted.map(({ username }) => hashOfSecret(username));
  return (authorization) => {
    const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const pair = Buffer.from(encoded, "base64").toString("utf8");
    const given = hashOfSecret(pair);
    const index = hashes.map((expected) => timingSafeEqual(expected, given)).indexOf(true);
    if (index === -1) {
      const challenge = 'Basic realm="vmr-gateway", charset="UTF-8"';
      const name = hashOfSecret(pair.slice(0, Math.max(0, pair.indexOf(":"))));
      const isKnownName = names.map((expected) => timingSafeEqual(expected, name)).includes(true);
      throw new GatewayError("unauthenticated", {
        challenge,
        reason: isKnownName ? "password" : "credentials",
      });
    }
    return index === 0 ? "current" : "previous";
  };
}

/** Returns a hash to compare instead of the secret: all have one length, so a comparison reveals nothing about it. */
function hashOfSecret(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

export interface BearerRules {
  readonly tenantId: string;
  readonly audiences: readonly string[];
  readonly clientIds: readonly string[];
  readonly requiredRole?: string | undefined;
  /** Whether a refused caller is told the reason, as in local environments only. */
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
  function refuse(refusal: Refusal, cause?: unknown): never {
    const isKnownCaller = refusal === "client" || refusal === "role";
    const description = rules.explainsRefusals ? `, error_description="${refusals[refusal]}"` : "";
    throw new GatewayError(isKnownCaller ? "forbidden" : "unauthenticated", {
      challenge: `${realm}, error="${isKnownCaller ? "insufficient_scope" : "invalid_token"}"${description}`,
      reason: refusal,
      cause,
    });
  }

  return async (authorization, log) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined)
      throw new GatewayError("unauthenticated", { challenge: realm, reason: "no-token" });
    const header = token.length <= maxTokenCharacters ? headerOf(token) : undefined;
    if (header?.alg !== "RS256" || typeof header.kid !== "string") return refuse("malformed");
    const { publicKey, issuers } = await keys.find(header.kid, log);
    if (publicKey === undefined) return refuse("unknown-key");

    let payload: unknown;
    try {
      payload = jwt.verify(token, publicKey, {
        algorithms: ["RS256"],
        issuer: atLeastOne(issuers),
        audience: atLeastOne(rules.audiences),
        clockTolerance: clockToleranceSeconds,
      });
    } catch (cause) {
      return refuse(refusalOf(cause), cause);
    }

    const claims = TokenClaims.safeParse(payload);
    if (!claims.success) return refuse("claims");
    const { tid, scp, idtyp, azp, appid, roles = [] } = claims.data;
    if (tid !== undefined && tid.toLowerCase() !== rules.tenantId.toLowerCase()) return refuse("tenant");
    if (scp !== undefined || (idtyp !== undefined && idtyp !== "app")) return refuse("delegated");
    const client = azp ?? appid;
    if (client === undefined || !rules.clientIds.includes(client)) return refuse("client");
    if (rules.requiredRole !== undefined && !roles.includes(rules.requiredRole)) return refuse("role");
    return client;
  };
}

/** Returns the values as the library's type requires them. An empty text equals no issuer and no audience. */
function atLeastOne([first = "", ...others]: readonly string[]): [string, ...string[]] {
  return [first, ...others];
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

/** Returns undefined for a malformed token. `jwt.decode` throws, quoting the token, if the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}
