/** Sits between the gateway and a server, and gives their connections the faults of a bad network. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import getPort from "get-port";
import type { SeededRandom } from "../local/process/seeded-random.ts";
import { type ConnectionFault, createFaultPicker } from "./fault-picker.ts";
import { createFaultyConnection, resetSocket } from "./faulty-connection.ts";

/** The kind of an outage: connections are refused, connections are reset, or requests get no response. */
export type DownMode = "refuse" | "reset" | "silence";

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

export interface TcpProxyOptions {
  readonly targetPort: number;
  readonly random: SeededRandom;
  /** The maximum delay of a late request, whose sender has already received a reset. */
  readonly maxLatenessSeconds: number;
}

// Outgoing connections get higher port numbers, so the port stays free while an outage closes it.
const ports = { first: 20_000, count: 10_000 };

/** Starts the proxy on a free port of 127.0.0.1, without faults. */
export async function startTcpProxy(options: TcpProxyOptions) {
  const { random, targetPort, maxLatenessSeconds } = options;
  const sockets = new Set<Socket>();
  const picker = createFaultPicker(random);
  const counts: Record<string, number> = {};
  let downMode: DownMode | undefined;
  const count = (fault: string): void => {
    counts[fault] = (counts[fault] ?? 0) + 1;
  };

  function pickFault(request: Buffer): ConnectionFault | undefined {
    const fault = downMode === "silence" ? "half-open before" : picker.pickFault(request);
    if (fault !== undefined) count(downMode === undefined ? fault : `down: ${downMode}`);
    return fault;
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
    createFaultyConnection({ incoming, outgoing, random, maxLatenessSeconds, pickFault });
  }

  const cutAll = (): void => {
    for (const socket of sockets) resetSocket(socket);
  };
  const server = createServer(accept);
  const port = await getPort({ host: "127.0.0.1", port: ports.first + random.integerBelow(ports.count) });

  async function goUp(): Promise<void> {
    if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
    downMode = undefined;
  }

  await goUp();
  return {
    port,
    setFaultRate: picker.setFaultRate,
    async goDown(mode: DownMode): Promise<void> {
      await goUp();
      downMode = mode;
      if (mode === "refuse") server.close();
      cutAll();
    },
    goUp,
    /** Ends all faults and cuts all open connections, so faults in progress end too. */
    async endFaults(): Promise<void> {
      picker.setFaultRate(0);
      await goUp();
      cutAll();
    },
    /** Returns how often each kind of fault was caused. */
    faultCounts: (): Readonly<Record<string, number>> => ({ ...counts }),
    async stop(): Promise<void> {
      server.close();
      cutAll();
    },
  };
}
