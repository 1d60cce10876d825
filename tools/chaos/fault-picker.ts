/** Decides which requests meet a fault, and which one. */
import type { SeededRandom } from "../local/process/seeded-random.ts";

/**
 * `before`: the request does not arrive. `after`: it arrives, but its response does not. `late arrival`: the sender's
 * connection is reset, and the request arrives some time later. Half-open connections stay silent for a few seconds.
 */
export const connectionFaults = [
  "reset before",
  "reset after",
  "late arrival",
  "half-open before",
  "half-open after",
  "slow response",
  "latency",
] as const;
export type ConnectionFault = (typeof connectionFaults)[number];

// Faults in writes matter most. Faults in the many reads of queues would only slow everything down.
const writeWeight = 3;
// A retry often meets the same fault, so operations that are tried twice fail twice at times.
const shareOfRetriesAffected = 0.6;

/** Starts without faults. */
export function createFaultPicker(random: SeededRandom) {
  const faultByRequestLine = new Map<string, ConnectionFault>();
  let faultRate = 0;
  const pickAtRate = (rate: number) => (random.chance(rate) ? random.pick(connectionFaults) : undefined);

  return {
    /** Sets the share of read requests, 0 to 1, that meet a fault; writes meet several times as many. */
    setFaultRate: (rate: number) => {
      faultRate = rate;
      if (rate === 0) faultByRequestLine.clear();
    },
    pickFault: (request: Buffer): ConnectionFault | undefined => {
      const requestLine = request.subarray(0, request.indexOf("\r\n")).toString("latin1");
      if (requestLine.startsWith("GET ")) return pickAtRate(faultRate);
      const previous = faultByRequestLine.get(requestLine);
      if (previous !== undefined && random.chance(shareOfRetriesAffected)) return previous;
      const fault = pickAtRate(writeWeight * faultRate);
      // The request lines of different POST requests are equal, so a repeated one is not necessarily a retry.
      if (fault !== undefined && !requestLine.startsWith("POST ")) faultByRequestLine.set(requestLine, fault);
      return fault;
    },
  };
}
