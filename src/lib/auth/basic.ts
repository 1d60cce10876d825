/** Checks the event sink's HTTP Basic credentials in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";

/** One accepted pair of credentials. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Creates a check that accepts any of these pairs: the first is the current one, the others are previous ones. It
 * compares every pair, even after a match, so its duration does not depend on which pair matches. Returns which pair
 * matched. Throws `unauthenticated` if none matches.
 */
export function createBasicCheck(
  accepted: readonly BasicCredentials[],
): (authorization: string | null) => "current" | "previous" {
  const hashes = accepted.map(({ username, password }) => hashOfSecret(`${username}:${password}`));
  return (authorization) => {
    const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const given = hashOfSecret(Buffer.from(encoded, "base64").toString("utf8"));
    const index = hashes.map((expected) => timingSafeEqual(expected, given)).indexOf(true);
    if (index === -1) {
      throw new GatewayError("unauthenticated", { challenge: 'Basic realm="vmr-gateway", charset="UTF-8"' });
    }
    return index === 0 ? "current" : "previous";
  };
}

/** Returns a hash to compare instead of the secret: all have one length, so a comparison reveals nothing about it. */
export function hashOfSecret(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
