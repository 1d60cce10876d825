/** Checks a client-credentials form as the token endpoint does. */
import { randomUUID, timingSafeEqual } from "node:crypto";
import type { Reply } from "../loopback-server.ts";

export interface IssuerClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Returns the authenticated client or the OAuth error response: 401 for wrong credentials, 400 for everything else. The
 * scope must be the client's own.
 */
export function checkGrant(
  body: Buffer,
  clients: readonly IssuerClient[],
): { clientId: string } | { refusal: Reply } {
  const form = new URLSearchParams(body.toString("utf8"));
  const grantType = form.get("grant_type");
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
  if (!grantType) return refuse(400, "invalid_request", "grant_type is missing");
  if (grantType !== "client_credentials") {
    return refuse(400, "unsupported_grant_type", "only client_credentials is supported");
  }
  if (!clientId || !secret) return refuse(400, "invalid_request", "client_id or client_secret is missing");
  const client = clients.find((known) => known.clientId === clientId);
  if (!client || !isSameSecret(client.clientSecret, secret)) {
    return refuse(401, "invalid_client", "unknown client or wrong secret");
  }
  if (form.get("scope") !== `api://${clientId}/.default`)
    return refuse(400, "invalid_scope", "not the client's own scope");
  return { clientId };
}

function refuse(status: number, error: string, description: string): { refusal: Reply } {
  const body = { error, error_description: description, correlation_id: randomUUID() };
  return { refusal: { status, body } };
}

function isSameSecret(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
