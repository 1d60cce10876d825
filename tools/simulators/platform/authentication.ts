/** Authentication of the Management API: HTTP Basic, or a bearer token in exchange for an assertion. */
import { randomUUID } from "node:crypto";
import { identities } from "../identities.ts";
import type { Reply } from "../services/loopback-server.ts";

export type Authentication = ReturnType<typeof createAuthentication>;

/** Accepts the gateway's account, and the tokens that it has granted. */
export function createAuthentication() {
  const { platformUsername: username, platformPassword: password } = identities;
  const accepted = new Set([`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`]);
  return {
    /** Whether an `Authorization` header has the right password or a valid token. */
    accepts: (authorization = ""): boolean => accepted.has(authorization),
    /**
     * Handles the token endpoint. Which assertions the platform accepts is checked by the tests of the gateway's
     * credentials.
     */
    grantToken: (request: Buffer): Reply => {
      const form = new URLSearchParams(request.toString("utf8"));
      if (!form.get("client_assertion")) return { status: 401, body: { error: "invalid_client" } };
      const token = randomUUID();
      accepted.add(`Bearer ${token}`);
      return { status: 200, body: { access_token: token, expires_in: 3600, token_type: "Bearer" } };
    },
  };
}
