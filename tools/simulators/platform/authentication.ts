/** Authentication of the Management API: HTTP Basic, or a bearer token in exchange for a signed assertion. */
import { randomUUID } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";
import type { Reply } from "../loopback-server.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const tokenLifetimeSeconds = 3600;

export type Authentication = ReturnType<typeof createAuthentication>;

export function createAuthentication(options: {
  username: string;
  password: string;
  oauthClients: { clientId: string; publicKeyPem: string }[];
  now: () => number;
}) {
  const { username, password, oauthClients, now } = options;
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const expiryByToken = new Map<string, number>();
  const usedAssertionIds = new Set<string>();

  function isGenuine(assertion: string, tokenUrl: string): boolean {
    const clientId = jsonwebtoken.decode(assertion, { json: true })?.iss;
    const client = oauthClients.find((known) => known.clientId === clientId);
    if (!client) return false;
    try {
      const claims = jsonwebtoken.verify(assertion, client.publicKeyPem, {
        algorithms: ["ES256"],
        audience: tokenUrl,
        issuer: client.clientId,
        subject: client.clientId,
        clockTimestamp: Math.floor(now() / 1000),
      });
      if (typeof claims === "string" || !claims.exp || !claims.jti) return false;
      if (usedAssertionIds.has(claims.jti)) return false;
      usedAssertionIds.add(claims.jti);
      return true;
    } catch {
      return false;
    }
  }

  return {
    /** Whether an `Authorization` header has the right password or a valid token. */
    accepts: (authorization: string | undefined): boolean => {
      if (authorization === basic) return true;
      const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
      return token !== undefined && (expiryByToken.get(token) ?? 0) > now();
    },
    /** Handles the token endpoint. The assertion's audience must be the endpoint's URL. */
    grantToken: (request: Buffer, tokenUrl: string): Reply => {
      const form = new URLSearchParams(request.toString("utf8"));
      if (form.get("grant_type") !== "client_credentials") {
        return { status: 400, body: { error: "unsupported_grant_type" } };
      }
      const assertion = form.get("client_assertion");
      const isAssertion = form.get("client_assertion_type") === assertionType;
      if (!isAssertion || !assertion || !isGenuine(assertion, tokenUrl)) {
        return { status: 401, body: { error: "invalid_client" } };
      }
      const token = randomUUID();
      expiryByToken.set(token, now() + tokenLifetimeSeconds * 1000);
      const body = { access_token: token, expires_in: tokenLifetimeSeconds, token_type: "Bearer" };
      return { status: 200, body };
    },
  };
}
