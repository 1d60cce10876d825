/** Credentials of every caller: valid ones, and bearer tokens of every refused kind. */
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
  (claims: Readonly<Record<string, unknown>>): MakeToken =>
  (issuer) =>
    issuer.issueToken({ claims });
const signedWith =
  (overrides: Parameters<TokenIssuer["signToken"]>[1]): MakeToken =>
  (issuer) =>
    issuer.signToken(claimsOf(issuer.issueToken()), overrides);

/**
 * Tokens that are refused, by their fault, with the reason in the log. Each is signed with the issuer's key unless its
 * name says otherwise.
 */
export const refusedTokens: Readonly<Record<string, readonly [reason: string, make: MakeToken]>> = {
  expired: ["expired", withClaims({ exp: inSeconds(-61) })],
  "not yet valid": ["not-yet-valid", withClaims({ nbf: inSeconds(86_400) })],
  "without an expiry": [
    "claims",
    (issuer) => {
      const { exp: _, ...claims } = claimsOf(issuer.issueToken());
      return issuer.signToken(claims);
    },
  ],
  "with roles that are not a list": ["claims", withClaims({ roles: "Rooms.Manage" })],
  "of another key under a known key id": ["signature", signedWith({ key: otherKey.privatePem })],
  "of an unknown key": [
    "unknown-key",
    signedWith({ key: otherKey.privatePem, keyId: otherKey.publicJwk.kid }),
  ],
  "of another tenant's issuer": [
    "issuer",
    (issuer) => issuer.issueToken({ claims: { tid: otherId, iss: `${issuer.url}/${otherId}/` } }),
  ],
  "without an issuer": ["issuer", withClaims({ iss: undefined })],
  "of another tenant by its tid only": ["tenant", withClaims({ tid: otherId })],
  "for another audience": ["audience", withClaims({ aud: `api://${otherId}` })],
  "for an audience that starts with ours": ["audience", withClaims({ aud: `api://${clientId}/more` })],
  "without an audience": ["audience", withClaims({ aud: undefined })],
  "with alg none and a key id": ["malformed", signedWith({ algorithm: "none", key: "" })],
  "signed with RS512": ["malformed", signedWith({ algorithm: "RS512" })],
  "signed HS256 with the public key": [
    "malformed",
    (issuer) => {
      const key = createPublicKey(issuer.privateKeyPem()).export({ type: "spki", format: "pem" });
      return issuer.signToken(claimsOf(issuer.issueToken()), { algorithm: "HS256", key: key.toString() });
    },
  ],
  "delegated by a user (scp)": ["delegated", withClaims({ scp: "Rooms.Read" })],
  "delegated by a user (idtyp)": ["delegated", withClaims({ idtyp: "user" })],
  "without its signature": ["signature", (issuer) => `${issuer.issueToken().split(".", 2).join(".")}.`],
  "with its claims changed": [
    "signature",
    (issuer) => {
      const [header, , signature] = issuer.issueToken().split(".");
      const claims = { ...claimsOf(issuer.issueToken()), tid: tenantId, roles: ["Admin"] };
      return `${header}.${base64url(JSON.stringify(claims))}.${signature}`;
    },
  ],
  "without a key ID": [
    "malformed",
    (issuer) => {
      const header = base64url(JSON.stringify({ alg: "RS256", typ: "JWT" }));
      return [header, ...issuer.issueToken().split(".").slice(1)].join(".");
    },
  ],
  "that is not a JWT": ["malformed", () => "not-a-token"],
  "of another client (v1)": ["client", withClaims({ appid: clientId.slice(0, -1) })],
  "of another client (v2)": [
    "client",
    (issuer) => issuer.issueToken({ version: 2, claims: { azp: `${clientId}0` } }),
  ],
  "whose azp is another client": ["client", withClaims({ azp: otherId })],
  "without a client": ["client", withClaims({ appid: undefined })],
};
