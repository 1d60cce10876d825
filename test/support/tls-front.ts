/** Encrypts the connections to a server on loopback, with a certificate of a private authority. */
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";

/** A certificate in PEM format, and its key. */
export interface Authority {
  readonly cert: string;
  readonly key: string;
}

interface AuthorityOptions {
  readonly validToYear?: number;
  /** Another authority that signs it. Signed by itself unless given. */
  readonly signer?: Authority;
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

export async function createAuthority(name: string, options: AuthorityOptions = {}): Promise<Authority> {
  return sign(name, [{ name: "basicConstraints", cA: true, critical: true }], options);
}

/** Forwards what arrives over TLS to the server at `url`. Its own URL begins with `https:`. */
export async function startTlsFront(url: string, authority: Authority) {
  const altNames = [{ type: 7 as const, ip: "127.0.0.1" }];
  const { cert, key } = await sign("platform", [{ name: "subjectAltName", altNames }], { signer: authority });
  const sockets = new Set<Socket>();
  const server = createServer({ cert: `${cert}\n${authority.cert}`, key }, (incoming) => {
    const outgoing = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
