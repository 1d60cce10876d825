/** A proxy between the host and Azurite that a test can switch off and on. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type StorageProxy = Awaited<ReturnType<typeof startStorageProxy>>;

export async function startStorageProxy(target: string) {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let refuses = false;
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  const server = createServer((incoming) => {
    if (refuses) return void incoming.destroy();
    const outgoing = connect(Number(port), hostname);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    /** The storage's URL through the proxy. */
    url: `http://127.0.0.1:${address.port}${pathname}`,
    setDown(isDown: boolean): void {
      refuses = isDown;
      if (isDown) cutAll();
    },
    async stop(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      cutAll();
      await closed;
    },
  };
}
