/** A proxy between the gateway and a server that gives connections the faults of a bad network. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import getPort from "get-port";
import type { SeededRandom } from "../local/process/seeded-random.ts";

/**
 * `before`: the request does not arrive. `after`: it arrives, but its response does not. `late arrival`: the sender's
 * connection is reset, and the request arrives some time later. Half-open connections stay silent for a few seconds.
 */
const faults = [
  "reset before",
  "reset after",
  "late arrival",
  "half-open before",
  "half-open after",
  "slow response",
] as const;
type Fault = (typeof faults)[number];

/** The kind of an outage: connections are refused, connections are reset, or requests get no response. */
export const downModes = ["refuse", "reset", "silence"] as const;
export type DownMode = (typeof downModes)[number];

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

export interface FaultyProxyOptions {
  readonly targetPort: number;
  readonly random: SeededRandom;
  /** The maximum delay of a late request, whose sender has already received a reset. */
  readonly maxLatenessSeconds: number;
}

// Faults in writes matter most. Faults in the many reads of queues would only slow everything down.
const writeWeight = 3;
const maxSlownessMilliseconds = 2500;
// Longer than any caller waits, so callers see silence instead of a reset.
const silenceMilliseconds = 3300;
// Headers and body of one request may arrive in two chunks.
const gatherMilliseconds = 30;
// Outgoing connections get higher port numbers, so the port stays free while an outage closes it.
const ports = { first: 20_000, count: 10_000 };

/** Starts the proxy on a free port of 127.0.0.1, without faults. */
export async function startFaultyProxy({ targetPort, random, maxLatenessSeconds }: FaultyProxyOptions) {
  const sockets = new Set<Socket>();
  const kinds = new Set<Fault>();
  let faultRate = 0;
  let downMode: DownMode | undefined;

  function pickFault(request: Buffer): Fault | undefined {
    if (downMode === "silence") return "half-open before";
    const isRead = request.subarray(0, 4).toString("latin1") === "GET ";
    if (!random.chance(isRead ? faultRate : writeWeight * faultRate)) return undefined;
    const fault = random.pick(faults);
    if (fault !== undefined) kinds.add(fault);
    return fault;
  }

  function accept(incoming: Socket): void {
    if (downMode === "reset") {
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
    connectWithFaults(incoming, outgoing);
  }

  /** Connects both sockets. Each closes with the other. Each request may meet one fault. */
  function connectWithFaults(incoming: Socket, outgoing: Socket): void {
    let fault: Fault | undefined;
    let isRequestNext = true;
    let lateChunks: Buffer[] | undefined;

    const cut = (): void => {
      resetSocket(incoming);
      outgoing.destroy();
    };
    const cutAfterSilence = (): void => {
      const timer = setTimeout(cut, silenceMilliseconds);
      incoming.once("close", () => clearTimeout(timer));
    };
    const deliverLate = (chunk: Buffer): void => {
      if (lateChunks) return void lateChunks.push(chunk);
      const chunks = [chunk];
      lateChunks = chunks;
      const latenessMilliseconds = random.next() * maxLatenessSeconds * 1000;
      setTimeout(() => resetSocket(incoming), gatherMilliseconds);
      setTimeout(() => {
        outgoing.write(Buffer.concat(chunks));
        outgoing.once("data", () => outgoing.destroy());
      }, gatherMilliseconds + latenessMilliseconds);
    };
    const deliverSlowly = (chunk: Buffer): void => {
      outgoing.pause();
      setTimeout(() => {
        incoming.write(chunk);
        outgoing.resume();
      }, random.next() * maxSlownessMilliseconds);
    };

    incoming.on("data", (chunk: Buffer) => {
      const isFirst = isRequestNext;
      isRequestNext = false;
      if (isFirst) fault = pickFault(chunk);
      if (fault === "late arrival") deliverLate(chunk);
      else if (fault === "reset before") cut();
      else if (fault === "half-open before" && isFirst) cutAfterSilence();
      else if (fault !== "half-open before") outgoing.write(chunk);
    });
    outgoing.on("data", (chunk: Buffer) => {
      const isFirst = !isRequestNext;
      isRequestNext = true;
      if (fault === "reset after") cut();
      else if (fault === "half-open after" && isFirst) cutAfterSilence();
      else if (fault === "slow response" && isFirst) deliverSlowly(chunk);
      else if (fault !== "half-open after") incoming.write(chunk);
    });
    incoming.on("close", () => {
      if (lateChunks === undefined) outgoing.destroy();
    });
    outgoing.on("close", () => incoming.destroy());
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
    /** Sets the share of read requests, 0 to 1, that meet a fault; writes meet several times as many. */
    setFaultRate: (rate: number): void => {
      faultRate = rate;
    },
    async goDown(mode: DownMode): Promise<void> {
      await goUp();
      downMode = mode;
      if (mode === "refuse") server.close();
      cutAll();
    },
    goUp,
    /** Ends all faults and cuts all open connections, so faults in progress end too. */
    async endFaults(): Promise<void> {
      faultRate = 0;
      await goUp();
      cutAll();
    },
    /** How many kinds of faults have been caused. */
    kindsOfFaults: (): number => kinds.size,
    async stop(): Promise<void> {
      server.close();
      cutAll();
    },
  };
}

/** Resets a connection, as a broken network does. Node would never close a socket that is already closing. */
function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
