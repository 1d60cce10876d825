/** A proxy between the gateway and a server that gives connections the faults of a bad network. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { SeededRandom } from "../simulators/process/seeded-random.ts";

/**
 * `before`: the request does not arrive. `after`: it arrives, but its response does not. `late arrival`: the sender's
 * connection is reset, and the request arrives some time later. Silent connections are reset after a few seconds.
 */
const faults = ["reset before", "reset after", "late arrival", "silence before", "silence after"] as const;
type Fault = (typeof faults)[number];

/** The kind of an outage: connections are reset, or requests get no response. */
export const outageModes = ["reset", "silence"] as const;
export type OutageMode = (typeof outageModes)[number];

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

export interface FaultyProxyOptions {
  /** The server's URL. */
  readonly target: string;
  readonly random: SeededRandom;
  /** The maximum delay of a late request, whose sender has already received a reset. */
  readonly maxLatenessSeconds: number;
}

// Faults in writes matter most. Faults in the many reads of queues would only slow everything down.
const writeWeight = 3;
// Longer than any caller waits, so callers see silence instead of a reset.
const silenceMilliseconds = 3300;
// Headers and body of one request may arrive in two chunks.
const gatherMilliseconds = 30;

/** Starts the proxy on a free port of 127.0.0.1, without faults. */
export async function startFaultyProxy({ target, random, maxLatenessSeconds }: FaultyProxyOptions) {
  const sockets = new Set<Socket>();
  const kinds = new Set<Fault>();
  let faultRate = 0;
  let outage: OutageMode | undefined;

  function pickFault(request: Buffer): Fault | undefined {
    if (outage === "silence") return "silence before";
    const isRead = request.subarray(0, 4).toString("latin1") === "GET ";
    if (!random.chance(isRead ? faultRate : writeWeight * faultRate)) return undefined;
    const fault = random.pick(faults);
    if (fault !== undefined) kinds.add(fault);
    return fault;
  }

  /** Connects both sockets. Each closes with the other. Each request may meet one fault. */
  function accept(incoming: Socket): void {
    incoming.on("error", () => incoming.destroy());
    if (outage === "reset") return reset(incoming);
    const outgoing = connect(Number(new URL(target).port), "127.0.0.1");
    outgoing.on("error", () => outgoing.destroy());
    for (const socket of [incoming, outgoing]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    let fault: Fault | undefined;
    let isRequestNext = true;
    let lateChunks: Buffer[] | undefined;

    const cut = (): void => {
      reset(incoming);
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
      setTimeout(() => reset(incoming), gatherMilliseconds);
      setTimeout(() => {
        outgoing.write(Buffer.concat(chunks));
        outgoing.once("data", () => outgoing.destroy());
      }, gatherMilliseconds + latenessMilliseconds);
    };

    incoming.on("data", (chunk: Buffer) => {
      const isFirst = isRequestNext;
      isRequestNext = false;
      if (isFirst) fault = pickFault(chunk);
      if (fault === "late arrival") deliverLate(chunk);
      else if (fault === "reset before") cut();
      else if (fault === "silence before" && isFirst) cutAfterSilence();
      else if (fault !== "silence before") outgoing.write(chunk);
    });
    outgoing.on("data", (chunk: Buffer) => {
      const isFirst = !isRequestNext;
      isRequestNext = true;
      if (fault === "reset after") cut();
      else if (fault === "silence after" && isFirst) cutAfterSilence();
      else if (fault !== "silence after") incoming.write(chunk);
    });
    incoming.on("close", () => {
      if (lateChunks === undefined) outgoing.destroy();
    });
    outgoing.on("close", () => incoming.destroy());
  }

  const server = createServer(accept);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const setOutage = (mode: OutageMode | undefined): void => {
    outage = mode;
    for (const socket of sockets) reset(socket);
  };
  return {
    url: target.replace(/:\d+/, `:${port}`),
    /** Sets the share of read requests, 0 to 1, that meet a fault; writes meet several times as many. */
    setFaultRate: (rate: number): void => {
      faultRate = rate;
    },
    /** Begins an outage or ends it. Cuts all open connections, so faults in progress end too. */
    setOutage,
    /** How many kinds of faults have been caused. */
    kindsOfFaults: (): number => kinds.size,
    async stop(): Promise<void> {
      server.close();
      setOutage(undefined);
    },
  };
}

/** Resets a connection, as a broken network does. Node would never close a socket that is already closing. */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
