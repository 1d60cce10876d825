/** Creates under overload, in virtual time: callers keep arriving, through the real claims and client. */
import { expect, test } from "vitest";
import { createClient, withRetries } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { transportFailure } from "../../../src/lib/platform/errors.ts";
import type { PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { createClaims } from "../../../src/lib/pool/claim.ts";
import { formatMarker } from "../../../src/lib/pool/room.ts";
import { createSeededRandom } from "../../../tools/local/process/seeded-random.ts";
import { createVirtualClock } from "../../support/clock.ts";
import { createMemoryPlatform, noCredentials } from "../../support/memory-platform.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

interface Load {
  /** How many calls the platform works on at once. */
  readonly slots: number;
  readonly callMilliseconds: number;
  /** How long storage takes for an operation. */
  readonly storageMilliseconds?: number;
  /** How many times the capacity arrives. */
  readonly factor: number;
}

const seconds = 150;
const timeoutSeconds = 20;
const maxConcurrency = 5;
const callsPerCreate = 2;

/** Sends creates at a multiple of the capacity. Returns how they ended, as a share of what was possible. */
async function run({ slots, callMilliseconds, factor, storageMilliseconds = 0 }: Load) {
  const random = createSeededRandom(1);
  const clock = createVirtualClock(random);
  const log = createRecordingLog();
  const pool = createMemoryQueue(clock);
  const platform = createMemoryPlatform(() => clock.now());
  const waiting: (() => void)[] = [];
  let busySlots = 0;
  let calls = 0;

  function serveNext(): void {
    const serve = busySlots < slots ? waiting.shift() : undefined;
    if (!serve) return;
    busySlots += 1;
    clock.after(callMilliseconds * (0.8 + random.integerBelow(400) / 1000), () => {
      busySlots -= 1;
      serve();
      serveNext();
    });
  }

  const transport: PlatformTransport = async (request) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.push(() => resolve(platform.transport(request, "")));
      serveNext();
      const error = Object.assign(new Error("timeout"), { code: "ETIMEDOUT" });
      clock.after(timeoutSeconds * 1000, () => reject(transportFailure(request, error)));
    });
  const options = { timeoutSeconds, maxConcurrency, credentials: noCredentials, clock, random };
  const client = createClient(transport, options);

  const possible = ((Math.min(slots, maxConcurrency) * 1000) / callMilliseconds / callsPerCreate) * seconds;
  const arrivals = Math.ceil(possible * factor);
  for (let id = 1; id <= arrivals; id++) {
    const name = `room-${id}`;
    const description = formatMarker({ state: "pooled", since: new Date(clock.now()).toISOString() });
    platform.seedRooms({ rows: [{ name, description, aliases: [{ alias: name }] }] });
    await pool.put(name);
  }
  const claims = createClaims({
    pool: {
      ...pool,
      receive: async (...input) => {
        await clock.sleep(storageMilliseconds);
        return pool.receive(...input);
      },
    },
    deletion: createMemoryQueue(clock),
    conferences: createConferences(withRetries(client, clock, random)),
    replenishment: {
      topUpByOne: async () => undefined,
      requestReplacement: async () => ({ withdraw: async () => undefined }),
    },
    clock,
    leaseSeconds: 300,
    platformTimeoutSeconds: timeoutSeconds,
    maxClaimsAtOnce: 2 * maxConcurrency,
  });
  const ended = { claimed: 0, refused: 0 };
  for (let index = 0; index < arrivals; index++)
    clock.after((index * seconds * 1000) / arrivals, () => {
      void claims.claim("https://verification.example.com/1", log).then(
        () => (ended.claimed += 1),
        () => (ended.refused += 1),
      );
    });
  await clock.advance(seconds * 1000);
  return { goodput: ended.claimed / possible, callsPerClaim: calls / ended.claimed, refused: ended.refused };
}

test.each<[string, Load]>([
  [
    "twice the capacity of a platform that takes 1 s per call",
    { slots: 5, callMilliseconds: 1000, factor: 2 },
  ],
  ["five times the capacity", { slots: 5, callMilliseconds: 600, factor: 5 }],
  ["twice the capacity of a platform with two slots", { slots: 2, callMilliseconds: 800, factor: 2 }],
  [
    "twice the capacity of a platform that takes 4 s per call",
    { slots: 5, callMilliseconds: 4000, factor: 2 },
  ],
  [
    "twice the capacity beside slow storage",
    { slots: 5, callMilliseconds: 400, factor: 2, storageMilliseconds: 300 },
  ],
])("Creates succeed at nine tenths of the capacity or more under %s", async (_, load) => {
  const { goodput, callsPerClaim, refused } = await run(load);
  expect(goodput).toBeGreaterThan(0.9);
  // Hardly any call was made for a claim that failed.
  expect(callsPerClaim).toBeLessThan(callsPerCreate * 1.15);
  expect(refused).toBeGreaterThan(0);
});
