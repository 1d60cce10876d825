/** A listening port that can be closed for a while, as that of a server which is down, and then be opened again. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { resetSocket } from "./reset-socket.ts";

export interface ClosableListener {
  readonly port: number;
  /** Refuses connections from now on; those that are open stay. */
  close(): Promise<void>;
  open(): Promise<void>;
  stop(): Promise<void>;
}

const maxAttempts = 100;

/** Listens on a free port of 127.0.0.1. */
export async function startClosableListener(accept: (socket: Socket) => void): Promise<ClosableListener> {
  let server: Server | undefined = await listen(accept, 0);
  const port = portOf(server);
  const anchor = await listen((socket) => void socket.on("error", () => socket.destroy()), 0);
  let placeholder: Socket | undefined;

  async function close(): Promise<void> {
    if (server === undefined) return;
    server.close();
    server = undefined;
    placeholder = await occupy(port, portOf(anchor));
  }

  return {
    port,
    close,
    async open() {
      if (server !== undefined) return;
      if (placeholder) resetSocket(placeholder);
      server = await listenAgain(accept, port);
    },
    async stop() {
      await close();
      if (placeholder) resetSocket(placeholder);
      const closed = once(anchor, "close");
      anchor.close();
      await closed;
    },
  };
}

/** A connection that comes from the port keeps other programs from being given it, without anybody listening there. */
async function occupy(port: number, anchorPort: number): Promise<Socket | undefined> {
  const socket = connect({ port: anchorPort, host: "127.0.0.1", localAddress: "127.0.0.1", localPort: port });
  try {
    await once(socket, "connect");
    return socket.on("error", () => undefined);
  } catch {
    return undefined;
  }
}

async function listen(accept: (socket: Socket) => void, port: number): Promise<Server> {
  const server = createServer(accept).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function listenAgain(accept: (socket: Socket) => void, port: number): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listen(accept, port);
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      await delay(100);
    }
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return address.port;
}
