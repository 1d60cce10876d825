/** The limit on concurrent calls: how failures change it, whose call starts next, and when waiting ends. */
import { beforeEach, describe, expect, test } from "vitest";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { createLimiter, type Limiter, type Priority } from "../../../src/lib/platform/limiter.ts";
import { createSeededRandom } from "../../../tools/local/process/seeded-random.ts";
import { createVirtualClock, settlePromises, type VirtualClock } from "../../support/clock.ts";

const ceiling = 8;
let clock: VirtualClock;
let limiter: Limiter;
beforeEach(() => {
  const random = createSeededRandom(1);
  clock = createVirtualClock(random);
  limiter = createLimiter(ceiling, clock, random);
});

const inSeconds = (seconds: number) => clock.now() + seconds * 1000;

/** Takes slots until a call has to wait, gives them back, and returns how many there were. */
async function countSlots(priority: Priority = "caller"): Promise<number> {
  const startBefore = inSeconds(0.001);
  const asked = Array.from({ length: ceiling + 1 }, async () => limiter.takeSlot(priority, startBefore));
  await clock.advance(1);
  const slots = (await Promise.all(asked)).filter(Boolean).length;
  for (let slot = 0; slot < slots; slot++) limiter.giveBackSlot(priority);
  return slots;
}

/** Returns after how many seconds a call can start. */
async function secondsUntilStart(): Promise<number> {
  const askedAt = clock.now();
  let startedAt: number | undefined;
  void limiter.takeSlot("caller", inSeconds(100)).then(() => {
    startedAt = clock.now();
  });
  await clock.advance(100_000, () => startedAt !== undefined);
  limiter.giveBackSlot("caller");
  return ((startedAt ?? Number.NaN) - askedAt) / 1000;
}

const response = (status: number, retryAfterSeconds?: number) =>
  new PlatformError({
    outcome: status < 500 ? "refused" : "unknown",
    status,
    message: `GET /: status ${status}`,
    retryAfterSeconds,
  });
const timeout = new PlatformError({ outcome: "unknown", isTimeout: true, message: "GET /: ETIMEDOUT" });
const tooLate = new PlatformError({ outcome: "not-sent", isTimeout: true, message: "GET /: too late" });

describe("The limit", () => {
  test("begins at its ceiling, above which successes do not raise it", async () => {
    expect(await countSlots()).toBe(ceiling);
    for (let calls = 0; calls < 20; calls++) limiter.onSuccess();
    expect(await countSlots()).toBe(ceiling);
  });

  test.each([
    ["429", response(429)],
    ["503", response(503)],
    ["504", response(504)],
    ["a timeout", timeout],
  ])("falls by half after %s", async (_, error) => {
    limiter.onFailure(error, clock.now());
    await secondsUntilStart();
    expect(await countSlots()).toBe(ceiling / 2);
  });

  test.each<[string, unknown]>([
    ["400", response(400)],
    ["401", response(401)],
    ["500", response(500)],
    ["502", response(502)],
    ["a reset", new PlatformError({ outcome: "unknown", message: "GET /: ECONNRESET" })],
    ["a call that was too late to be sent", tooLate],
    ["an error of another kind", new Error("unexpected")],
  ])("does not fall after %s", async (_, error) => {
    limiter.onFailure(error, clock.now());
    expect(await secondsUntilStart()).toBe(0);
    expect(await countSlots()).toBe(ceiling);
  });

  test("falls once per round, because calls that began earlier say nothing about the new limit", async () => {
    const startedAt = clock.now();
    await clock.advance(1000);
    for (let calls = 0; calls < ceiling; calls++) limiter.onFailure(timeout, startedAt);
    expect(await countSlots()).toBe(ceiling / 2);
    limiter.onFailure(timeout, clock.now());
    expect(await countSlots()).toBe(ceiling / 4);
  });

  test("never falls below one call", async () => {
    for (let rounds = 0; rounds < 10; rounds++) {
      limiter.onFailure(timeout, clock.now());
      await clock.advance(1000);
    }
    expect(await countSlots()).toBe(1);
  });

  test("rises by one call per round of successful calls", async () => {
    limiter.onFailure(timeout, clock.now());
    const limits: number[] = [];
    for (let round = 0; round < 5; round++) {
      limits.push(await countSlots());
      // A round is one call per slot, plus one for rounding.
      for (let calls = 0; calls <= (limits.at(-1) ?? 0); calls++) limiter.onSuccess();
    }
    expect(limits).toEqual([4, 5, 6, 7, 8]);
  });
});

describe("After 429 and 503", () => {
  test.each([
    [429, 7, 7],
    [503, 7, 7],
    [429, 15, 15],
    [429, 16, 15],
    [503, 3600, 15],
  ])(
    "(%i) with a Retry-After of %i s no call starts for %i s",
    async (status, retryAfterSeconds, seconds) => {
      limiter.onFailure(response(status, retryAfterSeconds), clock.now());
      expect(await secondsUntilStart()).toBe(seconds);
      expect(await secondsUntilStart()).toBe(0);
    },
  );

  test("without Retry-After the pause is random, up to a second at first, and doubles up to 15 s", async () => {
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
    limiter.onSuccess();
    limiter.onFailure(response(429), clock.now());
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
  });

  test("the calls of one round that are refused together cause one pause", async () => {
    const startedAt = clock.now();
    for (let calls = 0; calls < ceiling; calls++) limiter.onFailure(response(429), startedAt - 1);
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
  });

  test.each([
    ["504", response(504, 7)],
    ["a timeout", timeout],
  ])("only: %s causes no pause", async (_, error) => {
    limiter.onFailure(error, clock.now());
    expect(await secondsUntilStart()).toBe(0);
  });

  test("calls that wait for the end of a pause still end at their deadline", async () => {
    limiter.onFailure(response(429, 10), clock.now());
    const [soon, later] = [
      limiter.takeSlot("caller", inSeconds(9)),
      limiter.takeSlot("caller", inSeconds(11)),
    ];
    await clock.advance(20_000);
    expect([await soon, await later]).toEqual([false, true]);
  });
});

describe("Background calls", () => {
  test.each([
    [8, 6],
    [5, 3],
    [3, 1],
    [2, 1],
    [1, 1],
  ])("of a limit of %i take %i", async (slots, inBackground) => {
    limiter = createLimiter(slots, clock, createSeededRandom(1));
    expect(await countSlots("background")).toBe(inBackground);
  });

  test("start after callers that wait, but after four of them at most", async () => {
    limiter = createLimiter(1, clock, createSeededRandom(1));
    await limiter.takeSlot("caller", inSeconds(100));
    const started: string[] = [];
    const ask = (priority: Priority) =>
      void limiter.takeSlot(priority, inSeconds(100)).then(() => {
        started.push(priority);
        limiter.giveBackSlot(priority);
      });
    for (let calls = 0; calls < 2; calls++) ask("background");
    for (let calls = 0; calls < 10; calls++) ask("caller");
    limiter.giveBackSlot("caller");
    await settlePromises();
    const fourCallers = Array.from({ length: 4 }, () => "caller");
    const twoCallers = ["caller", "caller"];
    expect(started).toEqual([...fourCallers, "background", ...fourCallers, "background", ...twoCallers]);
  });

  test("all run, and end at their deadline if they cannot, while callers never leave a slot free", async () => {
    limiter = createLimiter(5, clock, createSeededRandom(1));
    const work = async (priority: Priority, startBefore: number): Promise<boolean> => {
      const hasSlot = await limiter.takeSlot(priority, startBefore);
      if (!hasSlot) return false;
      await clock.sleep(200);
      limiter.giveBackSlot(priority);
      return true;
    };
    let callerCalls = 0;
    const keepBusy = async (): Promise<never> => {
      for (;;) if (await work("caller", inSeconds(20))) callerCalls += 1;
    };
    for (let callers = 0; callers < 12; callers++) void keepBusy();
    await clock.advance(10_000);
    callerCalls = 0;
    // 25 calls per second, one in five in the background: 100 are sent in 20 s.
    let settledAt: number | undefined;
    const deadline = inSeconds(25);
    const collected = Promise.all(Array.from({ length: 200 }, async () => work("background", deadline))).then(
      (sent) => {
        settledAt = clock.now();
        return sent.filter(Boolean).length;
      },
    );
    await clock.advance(60_000, () => settledAt !== undefined);
    expect(settledAt).toBeLessThanOrEqual(deadline + 200);
    expect(await collected).toBeGreaterThanOrEqual(120);
    expect(callerCalls).toBeGreaterThanOrEqual(4 * (await collected) - 10);
  });
});

describe("A call that waits for a slot", () => {
  test.each<Priority>(["caller", "background"])("(%s) ends at its own deadline", async (priority) => {
    for (let slot = 0; slot < ceiling; slot++) await limiter.takeSlot("caller", inSeconds(1));
    let endedAt: number | undefined;
    const startBefore = inSeconds(7);
    const hasSlot = limiter.takeSlot(priority, startBefore).finally(() => {
      endedAt = clock.now();
    });
    await clock.advance(20_000);
    expect(await hasSlot).toBe(false);
    expect(endedAt).toBe(startBefore);
    expect(limiter.waiting(priority)).toBe(0);
  });

  test("gets no slot if its deadline has passed before, even if a slot is free", async () => {
    expect(await limiter.takeSlot("caller", clock.now())).toBe(false);
    expect(await countSlots()).toBe(ceiling);
  });

  test("frees its place for the next one when it ends", async () => {
    for (let slot = 0; slot < ceiling; slot++) await limiter.takeSlot("caller", inSeconds(1));
    const late = limiter.takeSlot("caller", inSeconds(1));
    const next = limiter.takeSlot("caller", inSeconds(9));
    await clock.advance(2000);
    limiter.giveBackSlot("caller");
    expect([await late, await next]).toEqual([false, true]);
  });
});
