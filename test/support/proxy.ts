/**
 * A server on loopback that passes connections on, over TLS if it has a certificate, and that a test can switch off.
 */
import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { listen } from "../../tools/simulators/services/listen.ts";

/** In PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

/** Passes everything on to the server at `target`. */
export async function startProxy(target: string, certificate?: Certificate) {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let refuses = false;
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  const pass = (incoming: Socket): void => {
    if (refuses) return void incoming.destroy();
    const outgoing = connect(Number(port), hostname);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  };
  const server = certificate ? createTlsServer(certificate, pass) : createServer(pass);
  const url = new URL(pathname, await listen(server));
  if (certificate) url.protocol = "https:";
  return {
    /** The target's URL through the proxy. */
    url: url.href.replace(/\/$/, ""),
    setDown(isDown: boolean): void {
      refuses = isDown;
      if (isDown) cutAll();
    },
    async stop(): Promise<void> {
      server.close();
      cutAll();
    },
  };
}
