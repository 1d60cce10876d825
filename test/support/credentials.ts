/** Credentials of every caller: valid ones, and bearer tokens of every invalid kind. */
import { createPublicKey } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";
import { identities } from "../../tools/simulators/identities.ts";
import { createSigningKey, type TokenIssuer } from "../../tools/simulators/services/token-issuer.ts";

const { tenantId, clientId } = identities;
const otherId = "99999999-9999-4999-8999-999999999999";
const otherKey = createSigningKey();

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const base64url = (value: string) => Buffer.from(value).toString("base64url");
const claimsOf = (token: string) => jsonwebtoken.decode(token, { json: true }) ?? {};

/** The header of an agent of the authorised division. */
export const asAgent = { "x-auth-token": identities.agentToken } as const;

/** An HTTP Basic header; by default with the valid credentials of the event sink. */
export function asEventSink(
  username: string = identities.sinkUsername,
  password: string = identities.sinkPassword,
) {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

type MakeToken = (issuer: TokenIssuer) => string;
const withClaims =
  (claims: () => Record<string, unknown>): MakeToken =>
  (issuer) =>
    issuer.issueToken({ claims: claims() });

/**
 * Tokens that get 401 `invalid_token`, by their fault. Each is signed with the issuer's key unless its
 * name says otherwise.
 */
export const wrongTokens: Readonly<Record<string, MakeToken>> = {
  expired: withClaims(() => ({ exp: inSeconds(-61) })),
  "not yet valid": withClaims(() => ({ nbf: inSeconds(600) })),
  "without an expiry": (issuer) => {
    const { exp: _, ...claims } = claimsOf(issuer.issueToken());
    return issuer.signToken(claims);
  },
  "of another key under a known key id": (issuer) =>
    issuer.signToken(claimsOf(issuer.issueToken()), { key: otherKey.privatePem }),
  "of an unknown key": (issuer) =>
    issuer.signToken(claimsOf(issuer.issueToken()), {
      key: otherKey.privatePem,
      keyId: otherKey.publicJwk.kid,
    }),
  "of another tenant's issuer": (issuer) =>
    withClaims(() => ({ tid: otherId, iss: `${issuer.url}/${otherId}/` }))(issuer),
  "of another tenant by its tid only": withClaims(() => ({ tid: otherId })),
  "for another audience": withClaims(() => ({ aud: `api://${otherId}` })),
  "with alg none and a key id": (issuer) =>
    issuer.signToken(claimsOf(issuer.issueToken()), { algorithm: "none", key: "" }),
  "signed HS256 with the public key": (issuer) => {
    const key = createPublicKey(issuer.privateKeyPem()).export({ type: "spki", format: "pem" });
    return issuer.signToken(claimsOf(issuer.issueToken()), { algorithm: "HS256", key: key.toString() });
  },
  "delegated by a user (scp)": withClaims(() => ({ scp: "Rooms.Read" })),
  "delegated by a user (idtyp)": withClaims(() => ({ idtyp: "user" })),
  "without its signature": (issuer) => `${issuer.issueToken().split(".", 2).join(".")}.`,
  "with its claims changed": (issuer) => {
    const [header, , signature] = issuer.issueToken().split(".");
    const claims = { ...claimsOf(issuer.issueToken()), tid: tenantId, roles: ["Admin"] };
    return `${header}.${base64url(JSON.stringify(claims))}.${signature}`;
  },
  "that is not a JWT": () => "not-a-token",
};

/** Valid tokens of client applications that are not listed; they get 403 `insufficient_scope`. */
export const forbiddenTokens: Readonly<Record<string, MakeToken>> = {
  "of another client (v1)": withClaims(() => ({ appid: clientId.slice(0, -1) })),
  "of another client (v2)": (issuer) => issuer.issueToken({ version: 2, claims: { azp: `${clientId}0` } }),
  "without a client": (issuer) => {
    const { appid: _, ...claims } = claimsOf(issuer.issueToken());
    return issuer.signToken(claims);
  },
};
