/** Stands between the app and a part it talks to, and does to their connections what networks do. */
import { connect, type Socket } from "node:net";
import { startClosableListener } from "./closable-listener.ts";
import { createLuck } from "./fault-picker.ts";
import { createFaultyConnection, type FaultyConnectionOptions, type Strike } from "./faulty-connection.ts";
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
  readonly maxLatenessSeconds: number;
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
  const listener = await startClosableListener(accept);

  async function goUp(): Promise<void> {
    await listener.open();
    downMode = undefined;
  }

  return {
    port: listener.port,
    setFaultShare: luck.setShare,
    async goDown(mode) {
      await goUp();
      downMode = mode;
      if (mode === "refuse") await listener.close();
      cutAll();
    },
    goUp,
    async calm() {
      luck.setShare(0);
      await goUp();
      cutAll();
    },
    strikes: () => ({ ...counts }),
    async stop() {
      await listener.stop();
      cutAll();
    },
  };
}
