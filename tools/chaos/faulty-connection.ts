/** One proxied connection. Each request on it may meet one fault, before or after it has reached the other side. */
import type { Socket } from "node:net";
import type { SeededRandom } from "../local/process/seeded-random.ts";
import type { ConnectionFault } from "./fault-picker.ts";

export interface FaultyConnectionOptions {
  readonly incoming: Socket;
  readonly outgoing: Socket;
  readonly random: SeededRandom;
  readonly maxLatenessSeconds: number;
  readonly pickFault: (request: Buffer) => ConnectionFault | undefined;
}

const maxLatencyMilliseconds = 250;
const maxSlownessMilliseconds = 2500;
// Longer than any caller waits, so callers see silence instead of a reset.
const silenceMilliseconds = 3300;
// Headers and body of one request may arrive in two chunks.
const gatherMilliseconds = 30;

/** Connects both sockets. Each closes with the other. */
export function createFaultyConnection(options: FaultyConnectionOptions): void {
  const { incoming, outgoing, random, maxLatenessSeconds, pickFault } = options;
  let fault: ConnectionFault | undefined;
  let isRequestNext = true;
  let lateChunks: Buffer[] | undefined;

  function cut(): void {
    resetSocket(incoming);
    outgoing.destroy();
  }

  function cutAfterSilence(): void {
    const timer = setTimeout(cut, silenceMilliseconds);
    incoming.once("close", () => clearTimeout(timer));
  }

  function deliverLate(chunk: Buffer): void {
    if (lateChunks) {
      lateChunks.push(chunk);
      return;
    }
    const chunks = [chunk];
    lateChunks = chunks;
    setTimeout(() => resetSocket(incoming), gatherMilliseconds);
    setTimeout(
      () => {
        outgoing.write(Buffer.concat(chunks));
        outgoing.once("data", () => outgoing.destroy());
      },
      gatherMilliseconds + random.next() * maxLatenessSeconds * 1000,
    );
  }

  function deliverSlowly(from: Socket, to: Socket, chunk: Buffer, maxMilliseconds: number): void {
    from.pause();
    setTimeout(() => {
      to.write(chunk);
      from.resume();
    }, random.next() * maxMilliseconds);
  }

  incoming.on("data", (chunk: Buffer) => {
    const isFirst = isRequestNext;
    if (isFirst) fault = pickFault(chunk);
    isRequestNext = false;
    if (fault === "late arrival") deliverLate(chunk);
    else if (fault === "reset before") cut();
    else if (fault === "half-open before") {
      if (isFirst) cutAfterSilence();
    } else if (fault === "latency") deliverSlowly(incoming, outgoing, chunk, maxLatencyMilliseconds);
    else outgoing.write(chunk);
  });

  outgoing.on("data", (chunk: Buffer) => {
    const isFirst = !isRequestNext;
    isRequestNext = true;
    if (fault === "reset after") cut();
    else if (fault === "half-open after") {
      if (isFirst) cutAfterSilence();
    } else if (fault === "slow response" && isFirst) {
      deliverSlowly(outgoing, incoming, chunk, maxSlownessMilliseconds);
    } else incoming.write(chunk);
  });

  incoming.on("close", () => {
    if (lateChunks === undefined) outgoing.destroy();
  });
  outgoing.on("close", () => incoming.destroy());
}

/** Resets a connection, as a broken network does. Node would never close a socket that is already closing. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
