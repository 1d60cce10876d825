/** Open-loop load on the client in virtual time: callers keep arriving, and each has 25 s for its calls. */

import { describe, expect, test } from "vitest";
import { createClient, type PlatformCalls } from "../../../src/lib/platform/client.ts";
import { transportFailure } from "../../../src/lib/platform/errors.ts";
import { withRetries } from "../../../src/lib/platform/retries.ts";
import {
  createBasicCredentials,
  type PlatformHttpResponse,
  type PlatformTransport,
} from "../../../src/lib/platform/transport.ts";
import { createSeededRandom } from "../../../tools/simulators/process/seeded-random.ts";
import { createVirtualClock } from "../../support/clock.ts";

interface Platform {
  /** How long it works on a call that begins after this many seconds, on average. */
  readonly callMilliseconds: (seconds: number) => number;
  /** Further calls get 429. */
  readonly callsPerMinute?: number;
  readonly hasRetryAfter?: boolean;
}

interface Load {
  readonly perSecond: number;
  readonly instances?: number;
}

const loadSeconds = 180;
const callerSeconds = 25;
const timeoutSeconds = 10;
const maxConcurrency = 5;

/** Sends the load through the real client. Returns how its callers ended; `inTime` is while the load lasted. */
async function run(platform: Platform, { perSecond, instances = 1 }: Load) {
  const random = createSeededRandom(1);
  const clock = createVirtualClock(random);
  const startedAt = clock.now();
  const secondsNow = () => (clock.now() - startedAt) / 1000;
  const credentials = createBasicCredentials("gateway", "platform-password");

  let callsOfMinute: number[] = [];

  /** Returns the seconds until the next minute if the calls of this one are used up. */
  function secondsRefused(): number | undefined {
    const first = callsOfMinute[0] ?? clock.now();
    if (clock.now() - first >= 60_000) callsOfMinute = [];
    callsOfMinute.push(clock.now());
    const isRefused = callsOfMinute.length > (platform.callsPerMinute ?? Number.POSITIVE_INFINITY);
    return isRefused ? Math.ceil((first + 60_000 - clock.now()) / 1000) : undefined;
  }

  const exchange: PlatformTransport = async (request) =>
    new Promise((resolve, reject) => {
      const seconds = secondsRefused();
      if (seconds !== undefined) {
        const headers = platform.hasRetryAfter === true ? { "retry-after": String(seconds) } : undefined;
        clock.after(10, () => resolve(responseOf(429, headers)));
        return;
      }
      // The platform works on a call to its end, whether or not the client still waits for it.
      const milliseconds = platform.callMilliseconds(secondsNow()) * (0.7 + random.integerBelow(600) / 1000);
      clock.after(milliseconds, () => resolve(responseOf(200)));
      const error = Object.assign(new Error("timeout"), { code: "ETIMEDOUT" });
      clock.after(timeoutSeconds * 1000, () => reject(transportFailure(request, error)));
    });

  const outcomes = { inTime: 0, afterwards: 0, failed: 0, unknown: 0 };
  async function call(client: PlatformCalls): Promise<void> {
    const startBefore = clock.now() + callerSeconds * 1000;
    try {
      // A create makes two calls, one after the other.
      await client.call({ method: "GET", path: "/conference/", startBefore });
      await client.call({ method: "PATCH", path: "/conference/1/", startBefore });
      outcomes[secondsNow() < loadSeconds ? "inTime" : "afterwards"] += 1;
    } catch (error) {
      outcomes.failed += 1;
      if (error instanceof Error && "outcome" in error && error.outcome === "unknown") outcomes.unknown += 1;
    }
  }

  const clients = Array.from({ length: instances }, () => {
    const client = createClient(exchange, { timeoutSeconds, maxConcurrency, credentials, clock, random });
    return withRetries(client, clock, random);
  });
  for (let caller = 0; caller < perSecond * loadSeconds; caller++) {
    const client = clients[caller % instances];
    if (client) clock.after((caller * 1000) / perSecond, () => void call(client));
  }
  await clock.advance((loadSeconds + 60) * 1000);
  return outcomes;
}

function responseOf(status: number, headers: Record<string, string> = {}): PlatformHttpResponse {
  return { status, headers, body: {} };
}

describe("A platform that is slow, and not overloaded,", () => {
  const rising = (from: number, to: number) => (seconds: number) => (seconds < 60 ? from : to);
  test.each<[string, Platform, number]>([
    ["takes 3.5 s per call", { callMilliseconds: () => 3500 }, 0.5],
    ["becomes slower, from 100 to 800 ms", { callMilliseconds: rising(100, 800) }, 2],
  ])("serves every caller if it %s", async (_, platform, perSecond) => {
    const { inTime, failed } = await run(platform, { perSecond });
    expect(inTime).toBeGreaterThan(0.9 * perSecond * loadSeconds);
    expect(failed).toBe(0);
  });
});

test.each([
  [1, true],
  [1, false],
  [20, true],
  [20, false],
])(
  "%i instances use the platform's whole limit per minute at one and a half times its load (Retry-After: %s)",
  async (instances, hasRetryAfter) => {
    const platform = { callMilliseconds: () => 100, callsPerMinute: 600, hasRetryAfter };
    const { inTime, unknown } = await run(platform, { perSecond: 7.5, instances });
    const capacityOfLoad = (600 / 2 / 60) * loadSeconds;
    expect(inTime / capacityOfLoad).toBeGreaterThan(0.8);
    expect(unknown).toBe(0);
  },
);
