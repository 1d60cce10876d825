/** The limit on concurrent calls: how failures change it, whose call starts next, and when waiting ends. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import { createLimiter, type Priority } from "../../../src/lib/platform/limiter.ts";
import { createSeededRandom } from "../../../tools/simulators/process/seeded-random.ts";
import { createVirtualClock, settlePromises, type VirtualClock } from "../../support/clock.ts";

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
async function countSlots(priority: Priority = "caller"): Promise<number> {
  const startBefore = inSeconds(0.001);
  const asked = Array.from({ length: ceiling + 1 }, async () => limiter.takeSlot(priority, startBefore));
  await clock.advance(1);
  const slots = (await Promise.all(asked)).filter((giveBack) => giveBack !== undefined);
  for (const giveBack of slots) giveBack();
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
const timeout = new PlatformError({ outcome: "unknown", isTimeout: true, message: "GET /: ETIMEDOUT" });
const tooLate = new PlatformError({ outcome: "not-sent", isTimeout: true, message: "GET /: too late" });

describe("The limit", () => {
  test("begins at its ceiling, above which successes do not raise it", async () => {
    expect(await countSlots()).toBe(ceiling);
    for (let calls = 0; calls < 20; calls++) limiter.onSuccess(false);
    expect(await countSlots()).toBe(ceiling);
  });

  test.each<[string, boolean, PlatformError]>([
    ["429", true, response(429)],
    ["503", true, response(503)],
    ["504", false, response(504, 7)],
    ["a timeout", false, timeout],
  ])("falls by half after %s, which begins a pause: %s", async (_, isPaused, error) => {
    limiter.onFailure(error, clock.now());
    expect((await secondsUntilStart()) > 0).toBe(isPaused);
    expect(await countSlots()).toBe(ceiling / 2);
  });

  test.each<[string, unknown]>([
    ["500", response(500)],
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

  test("falls too after the clock was set back by an hour", async () => {
    limiter.onFailure(timeout, clock.now());
    clock.elapse(-3_600_000);
    limiter.onFailure(timeout, clock.now());
    expect(await countSlots()).toBe(ceiling / 4);
  });

  test("never falls below one call, and slow calls raise it to two at most", async () => {
    for (let rounds = 0; rounds < 10; rounds++) {
      limiter.onFailure(timeout, clock.now());
      await clock.advance(1000);
    }
    expect(await countSlots()).toBe(1);
    for (let calls = 0; calls < 20; calls++) limiter.onSuccess(true);
    expect(await countSlots()).toBe(2);
  });

  test("rises by one call per round of successful calls", async () => {
    limiter.onFailure(timeout, clock.now());
    const limits: number[] = [];
    for (let round = 0; round < 5; round++) {
      limits.push(await countSlots());
      // A round is one call per slot, plus one for rounding.
      for (let calls = 0; calls <= (limits.at(-1) ?? 0); calls++) limiter.onSuccess(false);
    }
    expect(limits).toEqual([4, 5, 6, 7, 8]);
  });
});

describe("After 429 and 503", () => {
  test.each([
    [429, 7, 7],
    [503, 16, 15],
  ])(
    "with status %i, a Retry-After of %i s delays the next call by %i s",
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
    limiter.onSuccess(false);
    limiter.onFailure(response(429), clock.now());
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
  });

  test("the calls of one round that are refused together cause one pause", async () => {
    const startedAt = clock.now();
    for (let calls = 0; calls < ceiling; calls++) limiter.onFailure(response(429), startedAt - 1);
    expect(await secondsUntilStart()).toBeLessThanOrEqual(1);
  });

  test("a later, shorter pause does not end a longer Retry-After", async () => {
    limiter.onFailure(response(429, 10), clock.now());
    await clock.advance(1000);
    limiter.onFailure(response(429, 1), clock.now());
    expect(await secondsUntilStart()).toBe(9);
  });

  test.each([
    [1.9, 100, "waits", 1.9],
    [2.1, 100, "fails with its Retry-After", 3],
    [1.9, 1.9, "fails with its Retry-After", 2],
  ])("and a pause of %d s, a caller with a deadline of %d s %s", async (pause, deadline, what, seconds) => {
    limiter.onFailure(response(429, pause), clock.now());
    const startedAt = clock.now();
    const waiting = limiter.waitForPause("caller", inSeconds(deadline)).then(
      () => ["waits", (clock.now() - startedAt) / 1000],
      (error: unknown) => [
        "fails with its Retry-After",
        error instanceof PlatformError && error.details.retryAfterSeconds,
      ],
    );
    await clock.advance(5000);
    expect(await waiting).toEqual([what, seconds]);
  });

  test("a clock that is set back by an hour ends the pause", async () => {
    limiter.onFailure(response(429, 10), clock.now());
    clock.elapse(-3_600_000);
    expect(await secondsUntilStart()).toBe(0);
    limiter.onFailure(response(429, 10), clock.now());
    expect(await secondsUntilStart()).toBe(10);
  });
});

describe("Background calls", () => {
  test.each([
    [8, 6],
    [3, 1],
    [2, 1],
  ])("of a limit of %i take %i", async (slots, inBackground) => {
    limiter = createLimiter(slots, clock, createSeededRandom(1));
    expect(await countSlots("background")).toBe(inBackground);
  });

  test("wait in one line with callers, in order of arrival", async () => {
    limiter = createLimiter(3, clock, createSeededRandom(1));
    const take = async (priority: Priority) => limiter.takeSlot(priority, inSeconds(9));
    const [giveBack] = await Promise.all([take("caller"), take("caller"), take("caller")]);
    const served: Priority[] = [];
    for (const priority of ["caller", "background", "caller"] as const) {
      void take(priority).then((giveBackNext) => {
        served.push(priority);
        giveBackNext?.();
      });
      await settlePromises();
    }
    giveBack?.();
    await settlePromises();
    expect(served).toEqual(["caller", "background", "caller"]);
  });
});

describe("A call that waits for a slot", () => {
  const takeAll = async () =>
    Promise.all(Array.from({ length: ceiling }, async () => limiter.takeSlot("caller", inSeconds(1))));

  test("gets no slot if its deadline has passed before, even if a slot is free", async () => {
    expect(await limiter.takeSlot("caller", clock.now())).toBeUndefined();
    expect(await countSlots()).toBe(ceiling);
  });

  test("frees its place for the next one when it ends", async () => {
    const [giveBack] = await takeAll();
    const late = limiter.takeSlot("caller", inSeconds(1));
    const next = limiter.takeSlot("caller", inSeconds(9));
    await clock.advance(2000);
    giveBack?.();
    expect([await late, await next]).toEqual([undefined, expect.any(Function)]);
  });

  test("leaves no timer behind when it gets its slot", async () => {
    const aborted: (boolean | undefined)[] = [];
    const watched = {
      ...clock,
      sleep: async (milliseconds: number, signal?: AbortSignal) => {
        signal?.addEventListener("abort", () => aborted.push(true));
        return clock.sleep(milliseconds, signal);
      },
    };
    limiter = createLimiter(1, watched, createSeededRandom(1));
    const giveBack = await limiter.takeSlot("caller", inSeconds(9));
    const next = limiter.takeSlot("caller", inSeconds(9));
    giveBack?.();
    await next;
    expect(aborted).toEqual([true]);
  });
});

describe("A claim", () => {
  const steps = (changes: object = {}) => ({
    startBefore: inSeconds(12.5),
    prepare: async () => "message",
    abandon: vi.fn<(message: string) => Promise<void>>(),
    work: async () => clock.sleep(1000),
    ...changes,
  });
  const refused = { code: "claim-failed", status: 503, details: { retryAfterSeconds: 5 } };
  const start = (count: number, changes: object = {}) =>
    Array.from({ length: count }, async () =>
      limiter.claimSlots.run(steps(changes)).catch((error: unknown) => error),
    );

  test("keeps one slot for its whole work, and its calls need no other", async () => {
    const claims = start(ceiling, { work: async () => clock.sleep(1000) });
    await settlePromises();
    expect(await countSlots()).toBe(0);
    await clock.advance(1000);
    await Promise.all(claims);
    expect(await countSlots()).toBe(ceiling);
  });

  test("prepares itself without a slot, together with at most as many others as the ceiling", async () => {
    let preparing = 0;
    limiter.onFailure(timeout, clock.now());
    const prepare = async () => {
      preparing += 1;
      return clock.sleep(1000);
    };
    void start(3 * ceiling, { prepare });
    await settlePromises();
    expect(preparing).toBe(ceiling);
    expect(await countSlots()).toBe(ceiling / 2);
  });

  test("is abandoned if no slot comes in time after it prepared itself", async () => {
    limiter = createLimiter(1, clock, createSeededRandom(1));
    void start(1, { work: async () => clock.sleep(60_000) });
    await settlePromises();
    const late = steps();
    const outcome = limiter.claimSlots.run(late).catch((error: unknown) => error);
    await clock.advance(12_500);
    expect(await outcome).toMatchObject(refused);
    expect(late.abandon).toHaveBeenCalledWith("message");
  });

  test("is refused at once if sixty others wait", async () => {
    void start(ceiling, { work: async () => clock.sleep(5000) });
    await settlePromises();
    void start(60);
    await settlePromises();
    expect(await start(1)[0]).toMatchObject(refused);
  });

  test("is refused at once if the claims before it take too long for it", async () => {
    limiter = createLimiter(1, clock, createSeededRandom(1));
    const work = async () => clock.sleep(5000);
    void start(1, { work });
    await clock.advance(5000);
    // One at work, and two of which the second waits for ten seconds.
    void start(1, { work });
    await settlePromises();
    const waiting = start(2, { work });
    await settlePromises();
    expect(await start(1, { work })[0]).toMatchObject(refused);
    await clock.advance(15_000);
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  test("is refused at once, and prepares nothing, during a pause of more than two seconds", async () => {
    limiter.onFailure(response(503, 7), clock.now());
    const prepare = vi.fn<() => Promise<string>>();
    expect(await start(1, { prepare })[0]).toMatchObject({ status: 503, details: { retryAfterSeconds: 7 } });
    expect(prepare).not.toHaveBeenCalled();
  });

  test("that fails gives its slot and its place back", async () => {
    const fail = async () => Promise.reject(new Error("failed"));
    await Promise.all([...start(ceiling, { prepare: fail }), ...start(ceiling, { work: fail })]);
    expect(await countSlots()).toBe(ceiling);
    await clock.advance(1000);
    const claims = start(ceiling);
    await clock.advance(1000);
    expect(await Promise.all(claims)).toEqual(claims.map(() => undefined));
  });
});
