/** Encrypts the connections to a server on loopback, with a certificate of a private authority. */
import { generate } from "selfsigned";
import { type Certificate, startProxy } from "./proxy.ts";

interface AuthorityOptions {
  readonly validToYear?: number;
  /** Another authority that signs it. Signed by itself unless given. */
  readonly signer?: Certificate;
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>["extensions"]>;

async function sign(name: string, extensions: Extensions, { validToYear = 2120, signer }: AuthorityOptions) {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.UTC(2020, 0)),
    notAfterDate: new Date(Date.UTC(validToYear, 0)),
    extensions,
    ...(signer && { ca: signer }),
  });
  return { cert, key };
}

export async function createAuthority(name: string, options: AuthorityOptions = {}): Promise<Certificate> {
  return sign(name, [{ name: "basicConstraints", cA: true, critical: true }], options);
}

/** Forwards what arrives over TLS to the server at `url`. Its own URL begins with `https:`. */
export async function startTlsFront(url: string, authority: Certificate) {
  const altNames = [{ type: 7 as const, ip: "127.0.0.1" }];
  const { cert, key } = await sign("platform", [{ name: "subjectAltName", altNames }], { signer: authority });
  return startProxy(url, { cert: `${cert}\n${authority.cert}`, key });
}
