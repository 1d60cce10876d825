/** One proxied connection: each request on it may be struck by one fault, before or after it has reached the other side. */
import type { Socket } from "node:net";
import { resetSocket } from "./reset-socket.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * `before`: the request does not arrive. `after`: it does, its answer does not. `late arrival`: the sender is reset
 * and the request arrives all the same, some time later. Half-open connections stay silent for a few seconds.
 */
export type Strike =
  | "reset before"
  | "reset after"
  | "late arrival"
  | "half-open before"
  | "half-open after"
  | "slow answer"
  | "latency";

export interface FaultyConnectionOptions {
  readonly incoming: Socket;
  readonly outgoing: Socket;
  readonly random: SeededRandom;
  readonly maxLatenessSeconds: number;
  /** Decides, request by request, which fault strikes. */
  readonly draw: (request: Buffer) => Strike | undefined;
}

const maxLatencyMilliseconds = 250;
const maxSlownessMilliseconds = 2500;
// Longer than any caller here waits, so that callers meet silence and not a reset.
const silenceMilliseconds = 3300;
// Header and body of one request can come in two pieces.
const gatherMilliseconds = 30;

/** Connects both sockets; each closes with the other. */
export function createFaultyConnection(options: FaultyConnectionOptions): void {
  const { incoming, outgoing, random, maxLatenessSeconds, draw } = options;
  let strike: Strike | undefined;
  let isRequestNext = true;
  let lateChunks: Buffer[] | undefined;

  function cut(): void {
    resetSocket(incoming);
    outgoing.destroy();
  }

  function fallSilent(): void {
    const timer = setTimeout(cut, silenceMilliseconds);
    incoming.once("close", () => clearTimeout(timer));
  }

  function arriveLate(chunk: Buffer): void {
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

  incoming.on("data", (chunk: Buffer) => {
    const isFirst = isRequestNext;
    if (isFirst) strike = draw(chunk);
    isRequestNext = false;
    if (strike === "late arrival") arriveLate(chunk);
    else if (strike === "reset before") cut();
    else if (strike === "half-open before") {
      if (isFirst) fallSilent();
    } else if (strike === "latency") passSlowly(incoming, outgoing, chunk, maxLatencyMilliseconds);
    else outgoing.write(chunk);
  });

  outgoing.on("data", (chunk: Buffer) => {
    const isFirst = !isRequestNext;
    isRequestNext = true;
    if (strike === "reset after") cut();
    else if (strike === "half-open after") {
      if (isFirst) fallSilent();
    } else if (strike === "slow answer" && isFirst) {
      passSlowly(outgoing, incoming, chunk, maxSlownessMilliseconds);
    } else incoming.write(chunk);
  });

  function passSlowly(from: Socket, to: Socket, chunk: Buffer, maxMilliseconds: number): void {
    from.pause();
    setTimeout(() => {
      to.write(chunk);
      from.resume();
    }, random.next() * maxMilliseconds);
  }

  incoming.on("close", () => {
    if (lateChunks === undefined) outgoing.destroy();
  });
  outgoing.on("close", () => incoming.destroy());
}
