/** Stands between the app and a part it talks to, and does to their connections what networks do. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createFaultyConnection, type FaultyConnectionOptions, type Strike } from "./faulty-connection.ts";
import { createLuck } from "./luck.ts";
import { resetSocket } from "./reset-socket.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** How a part is down: nobody listens, connections are reset, or requests are swallowed. */
export type DownMode = "refuse" | "reset" | "silence";

export interface TcpProxy {
  readonly port: number;
  /** The share of the reading requests, 0 to 1, that a fault strikes; writing ones are struck several times as often. */
  setFaultShare(share: number): void;
  goDown(mode: DownMode): Promise<void>;
  goUp(): Promise<void>;
  /** Ends all faults, those under way too: every open connection is cut. */
  calm(): Promise<void>;
  /** How often each kind of fault has struck. */
  strikes(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export interface TcpProxyOptions {
  readonly targetPort: number;
  readonly random: SeededRandom;
  /** How much later a request at most arrives whose sender has given up. */
  readonly longestLatenessSeconds: number;
}

/** Starts the proxy on a free port of 127.0.0.1, without faults. */
export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const { random, targetPort } = options;
  const sockets = new Set<Socket>();
  const luck = createLuck(random);
  const counts: Record<string, number> = {};
  let downMode: DownMode | undefined;
  const count = (strike: string): void => {
    counts[strike] = (counts[strike] ?? 0) + 1;
  };

  function draw(request: Buffer): Strike | undefined {
    const strike = downMode === "silence" ? "half-open before" : luck.draw(request);
    if (strike !== undefined) count(downMode === undefined ? strike : `down: ${downMode}`);
    return strike;
  }
  function accept(incoming: Socket): void {
    if (downMode === "reset") {
      count("down: reset");
      resetSocket(incoming.on("error", () => undefined));
      return;
    }
    const outgoing = connect(targetPort, "127.0.0.1");
    for (const socket of [incoming, outgoing]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    const connection: FaultyConnectionOptions = { ...options, incoming, outgoing, draw };
    createFaultyConnection(connection);
  }

  const cutAll = (): void => {
    for (const socket of sockets) resetSocket(socket);
  };
  let server = await listen(accept, 0);
  const port = portOf(server);

  async function goUp(): Promise<void> {
    if (downMode === "refuse") server = await listenAgain(accept, port);
    downMode = undefined;
  }

  return {
    port,
    setFaultShare: luck.setShare,
    async goDown(mode) {
      await goUp();
      downMode = mode;
      const closed = mode === "refuse" ? close(server) : undefined;
      cutAll();
      await closed;
    },
    goUp,
    async calm() {
      luck.setShare(0);
      await goUp();
      cutAll();
    },
    strikes: () => ({ ...counts }),
    async stop() {
      const closed = downMode === "refuse" ? undefined : close(server);
      cutAll();
      await closed;
    },
  };
}

async function listen(accept: (socket: Socket) => void, port: number): Promise<Server> {
  const server = createServer(accept).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Somebody else may have been given the port for a moment. */
async function listenAgain(accept: (socket: Socket) => void, port: number): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listen(accept, port);
    } catch (error) {
      if (attempt === 100) throw error;
      await delay(100);
    }
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await closed;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return address.port;
}
