/** Who calls the event sink: checks HTTP Basic credentials in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";

export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Throws `unauthenticated`. Every accepted pair is compared, whether or not an earlier one fitted. */
export function createBasicCheck(
  accepted: readonly BasicCredentials[],
): (authorization: string | null) => void {
  const hashes = accepted.map(({ username, password }) => hash(`${username}:${password}`));
  return (authorization) => {
    const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const given = hash(Buffer.from(encoded, "base64").toString("utf8"));
    const matches = hashes.filter((expected) => timingSafeEqual(expected, given));
    if (matches.length === 0) {
      throw new GatewayError("unauthenticated", { challenge: 'Basic realm="vmr-gateway", charset="UTF-8"' });
    }
  };
}

/** Hashes are of one length, so that the comparison tells nothing about the length of the secret. */
function hash(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
