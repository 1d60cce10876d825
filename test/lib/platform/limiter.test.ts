/** The limit on concurrent calls: how failures change it, and when they pause all calls. */
import { beforeEach, describe, expect, test } from "vitest";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { createLimiter } from "../../../src/lib/platform/limiter.ts";
import {
  createVirtualClock,
  settlePromises,
  type VirtualClock,
} from "../../../tools/simulators/memory/clock.ts";
import { createSeededRandom } from "../../../tools/simulators/memory/seeded-random.ts";

const ceiling = 8;
let clock: VirtualClock;
let limiter: ReturnType<typeof createLimiter>;
beforeEach(() => {
  const random = createSeededRandom(1);
  clock = createVirtualClock(random);
  limiter = createLimiter(ceiling, clock, random);
});

const inSeconds = (seconds: number) => clock.now() + seconds * 1000;

/** Takes slots until a call has to wait, gives them back, and returns how many there were. */
async function countSlots(): Promise<number> {
  const startBefore = inSeconds(0.001);
  const asked = Array.from({ length: ceiling + 1 }, async () => limiter.takeSlot("caller", startBefore));
  await clock.advance(1);
  const slots = (await Promise.all(asked)).filter((slot) => slot !== undefined);
  for (const slot of slots) slot[Symbol.dispose]();
  await settlePromises();
  return slots.length;
}

/** Returns after how many seconds a background call, which waits for every pause, can start. */
async function secondsUntilStart(): Promise<number> {
  const askedAt = clock.now();
  let startedAt: number | undefined;
  void limiter.waitForPause("background", inSeconds(100)).then(() => {
    startedAt = clock.now();
  });
  await clock.advance(100_000, () => startedAt !== undefined);
  return ((startedAt ?? Number.NaN) - askedAt) / 1000;
}

const response = (status: number, retryAfterSeconds?: number) =>
  new PlatformError({
    outcome: status < 500 ? "refused" : "unknown",
    status,
    message: `GET /: status ${status}`,
    retryAfterSeconds,
  });
const timeout = new PlatformError({
  outcome: "unknown",
  code: "platform-timeout",
  message: "GET /: ETIMEDOUT",
});
const tooLate = new PlatformError({
  outcome: "not-sent",
  code: "platform-timeout",
  message: "GET /: too late",
});

/** Lowers the limit once. */
function timeOutTwice(): void {
  for (let call = 0; call < 2; call++) limiter.onFailure(timeout, clock.now());
}

describe("The limit of calls", () => {
  test.each<[string, number, boolean, unknown[]]>([
    ["429", ceiling / 2, true, [response(429)]],
    ["503", ceiling / 2, true, [response(503)]],
    ["504", ceiling, false, [response(504, 7)]],
    ["a timeout", ceiling, false, [timeout]],
    ["two timeouts in a row", ceiling / 2, false, [timeout, response(504, 7)]],
    ["three timeouts in a row", ceiling / 4, false, [timeout, timeout, timeout]],
    ["two timeouts with a 429 between them", ceiling / 4, true, [timeout, response(429), timeout]],
    ["500", ceiling, false, [response(500), response(500)]],
    ["calls that were too late to be sent", ceiling, false, [tooLate, tooLate]],
    ["errors of another kind", ceiling, false, [new Error("unexpected"), new Error("unexpected")]],
  ])("after %s is %i, and calls pause: %s", async (_, slots, isPaused, errors) => {
    for (const error of errors) limiter.onFailure(error, clock.now());
    expect((await secondsUntilStart()) > 0).toBe(isPaused);
    expect(await countSlots()).toBe(slots);
  });

  test("does not fall by timeouts with successful calls between them, after which slow calls count", async () => {
    limiter.onFailure(response(503), clock.now());
    await clock.advance(1000);
    for (let calls = 0; calls < 99; calls++) {
      limiter.onFailure(timeout, clock.now());
      limiter.onSuccess(4000, 10);
    }
    expect(await countSlots()).toBe(ceiling);
  });

  test("falls once per round, and pauses once, because calls that began earlier say nothing about it", async () => {
    const startedAt = clock.now();
    await clock.advance(1000);
    for (let calls = 0; calls < ceiling; calls++) limiter.onFailure(response(429), startedAt);
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
    expect(await countSlots()).toBe(ceiling / 2);
    timeOutTwice();
    expect(await countSlots()).toBe(ceiling / 4);
  });

  test.each([
    ["timeouts, after which slow calls do not raise it for ten minutes", timeout, 1],
    ["refusals, after which slow calls raise it too", response(503), ceiling],
  ])("never falls below one call by %s", async (_, failure, slots) => {
    for (let rounds = 0; rounds < 10; rounds++) {
      for (let call = 0; call < 2; call++) limiter.onFailure(failure, clock.now());
      await clock.advance(20_000);
    }
    expect(await countSlots()).toBe(1);
    for (let calls = 0; calls < 99; calls++) limiter.onSuccess(4000, 10);
    expect(await countSlots()).toBe(slots);
    await clock.advance(600_000);
    for (let calls = 0; calls < 99; calls++) limiter.onSuccess(4000, 10);
    expect(await countSlots()).toBe(ceiling);
  });

  test("rises to its ceiling by one per round of calls that took less than two fifths of their time", async () => {
    timeOutTwice();
    const limits: number[] = [];
    for (let round = 0; round < 7; round++) {
      limits.push(await countSlots());
      // A round is one call per slot, plus one for rounding.
      for (let calls = 0; calls <= (limits.at(-1) ?? 0); calls++) limiter.onSuccess(3999, 10);
    }
    expect(limits).toEqual([4, 5, 6, 7, 8, 8, 8]);
  });
});

describe("After 429 and 503", () => {
  test.each([
    [429, 7, 7],
    [503, 16, 15],
  ])(
    "calls pause: with status %i, a Retry-After of %i s delays the next one by %i s",
    async (status, retryAfterSeconds, seconds) => {
      limiter.onFailure(response(status, retryAfterSeconds), clock.now());
      expect(await secondsUntilStart()).toBe(seconds);
      expect(await secondsUntilStart()).toBe(0);
    },
  );

  test("the pause is random without Retry-After, up to a second at first, and doubles up to 15 s", async () => {
    const pauses: number[] = [];
    for (let round = 0; round < 7; round++) {
      limiter.onFailure(response(429), clock.now());
      pauses.push(await secondsUntilStart());
    }
    for (const [index, max] of [1, 2, 4, 8, 15, 15, 15].entries()) {
      expect(pauses[index]).toBeLessThanOrEqual(max);
      expect(pauses[index]).toBeGreaterThanOrEqual(max / 2);
    }
    expect(new Set(pauses.map((pause, index) => pause / 2 ** index)).size).toBeGreaterThan(4);
    limiter.onSuccess(100, 10);
    limiter.onFailure(response(429), clock.now());
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
  });

  test("a Retry-After counts in every response of a round, and a later, shorter one does not end it", async () => {
    const startedAt = clock.now() - 1;
    limiter.onFailure(response(429), startedAt);
    limiter.onFailure(response(429, 10), startedAt);
    await clock.advance(1000);
    limiter.onFailure(response(429, 1), clock.now());
    expect(await secondsUntilStart()).toBe(9);
    // The third round: the pause without Retry-After doubles once per round.
    limiter.onFailure(response(429), clock.now());
    expect(await secondsUntilStart()).toBeLessThanOrEqual(4);
  });

  test.each([
    [1.9, 100, "waits 1.9 s"],
    [2.1, 100, "fails with a Retry-After of 3 s"],
    [1.9, 1.9, "fails with a Retry-After of 2 s"],
  ])("a caller during a pause of %d s with a deadline of %d s %s", async (pause, deadline, expected) => {
    limiter.onFailure(response(429, pause), clock.now());
    const startedAt = clock.now();
    const outcome = limiter.waitForPause("caller", inSeconds(deadline)).then(
      () => `waits ${(clock.now() - startedAt) / 1000} s`,
      ({ details }: PlatformError) => `fails with a Retry-After of ${details.retryAfterSeconds} s`,
    );
    await clock.advance(5000);
    expect(await outcome).toBe(expected);
  });

  test("a clock that is set back by an hour ends the pause, and a failure after it begins another round", async () => {
    limiter.onFailure(response(429, 10), clock.now());
    clock.elapse(-3_600_000);
    expect(await secondsUntilStart()).toBe(0);
    limiter.onFailure(response(429, 10), clock.now());
    expect(await secondsUntilStart()).toBe(10);
    expect(await countSlots()).toBe(ceiling / 4);
  });
});
