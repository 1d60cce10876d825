/** The platform in virtual time: slots that serve calls in their order, and a limit of calls per minute. */

import {
  type Exchange,
  type PlatformHttpResponse,
  type PlatformRequest,
  transportFailure,
} from "../../src/lib/platform/exchange.ts";
import type { SeededRandom } from "../../tools/local/process/seeded-random.ts";
import { type ConferenceFields, createConferenceRows, type Reply } from "./conference-rows.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface SimulatedPlatformOptions {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  /** Mean time that a slot works on a call. */
  readonly callMilliseconds: number;
  /** Calls that the platform works on at once. */
  readonly callSlots: number;
  readonly callsPerMinute: number;
  readonly timeoutSeconds: number;
}

export interface SimulatedPlatform {
  readonly exchange: Exchange;
  /** Adds a room without a call. */
  insert(fields: ConferenceFields): void;
  /** The names of the running conferences. */
  readonly live: Set<string>;
  roomCount(): number;
  /** The number of calls in each minute, without refused ones. */
  readonly callsByMinute: readonly number[];
  /** The number of calls that got 429. */
  refusedCalls(): number;
}

const minuteMilliseconds = 60_000;
const refusalMilliseconds = 10;
// A call takes up to so many times the mean, and at least as much less.
const maxPart = 1.5;

export function createSimulatedPlatform(options: SimulatedPlatformOptions): SimulatedPlatform {
  const { time, random } = options;
  const live = new Set<string>();
  const rows = createConferenceRows(live);
  const startedAt = time.now();
  const callsByMinute: number[] = [];
  const waiting: (() => void)[] = [];
  let refusedCalls = 0;
  let busySlots = 0;

  function isAdmitted(): boolean {
    const minute = Math.floor((time.now() - startedAt) / minuteMilliseconds);
    while (callsByMinute.length <= minute) callsByMinute.push(0);
    const calls = callsByMinute[minute] ?? 0;
    if (calls >= options.callsPerMinute) return false;
    callsByMinute[minute] = calls + 1;
    return true;
  }

  async function startNext(): Promise<void> {
    const serve = busySlots < options.callSlots ? waiting.shift() : undefined;
    if (!serve) return;
    busySlots += 1;
    await time.sleep(options.callMilliseconds * random.between(2 - maxPart, maxPart));
    busySlots -= 1;
    serve();
    void startNext();
  }

  async function refuse(): Promise<PlatformHttpResponse> {
    refusedCalls += 1;
    const remaining = minuteMilliseconds - ((time.now() - startedAt) % minuteMilliseconds);
    await time.sleep(refusalMilliseconds);
    return toResponse({ status: 429 }, { "retry-after": String(Math.ceil(remaining / 1000)) });
  }

  /** The platform works on a call to its end, whether or not anybody still waits for it. */
  async function serve(request: PlatformRequest): Promise<PlatformHttpResponse> {
    const timeoutMilliseconds = (request.timeoutSeconds ?? options.timeoutSeconds) * 1000;
    const mayTimeOut =
      busySlots >= options.callSlots || maxPart * options.callMilliseconds >= timeoutMilliseconds;
    return new Promise((resolve, reject) => {
      waiting.push(() => resolve(toResponse(rows.respond(request))));
      void startNext();
      if (mayTimeOut) void time.sleep(timeoutMilliseconds).then(() => reject(timeoutOf(request)));
    });
  }

  return {
    insert: (fields) => rows.insert(fields),
    live,
    roomCount: () => rows.count(),
    callsByMinute,
    refusedCalls: () => refusedCalls,
    exchange: async (request) => (isAdmitted() ? serve(request) : refuse()),
  };
}

function timeoutOf(request: PlatformRequest): Error {
  return transportFailure(request, Object.assign(new Error("timeout"), { code: "ETIMEDOUT" }));
}

function toResponse(
  { status, data = "" }: Reply,
  headers: Record<string, string> = {},
): PlatformHttpResponse {
  return { status, headers, body: data };
}
