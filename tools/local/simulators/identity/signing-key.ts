/** The token issuer's RSA key, as private PEM and public JWK. */
import { generateKeyPairSync, randomUUID } from "node:crypto";

export interface SigningKey {
  readonly privatePem: string;
  readonly publicJwk: { kid: string; kty: "RSA"; use: "sig"; n: string; e: string };
}

/** Creates a 2048-bit RSA key with a random key ID. */
export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  if (n === undefined || e === undefined) throw new Error("the RSA key has no modulus");
  return {
    privatePem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicJwk: { kid: randomUUID(), kty: "RSA", use: "sig", n, e },
  };
}
